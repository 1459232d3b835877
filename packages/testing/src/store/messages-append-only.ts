// If this fails: a conversation loses, repeats or reorders messages, or each message of a long one
// costs more than the one before.
import type { MessageRow } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { messageRow, sessionRow } from './rows.ts';

const row = sessionRow();

async function append(store: Store, from: number, to: number): Promise<void> {
  const messages = Array.from({ length: to - from + 1 }, (_, index) => messageRow(from + index));
  const sessions = [{ sessionId: 's1', set: { messageCount: to } }];
  expect(await store.commit(planFor(row, { guard: {}, sessions, insert: { messages } }))).toBe(
    true,
  );
}

async function sequences(
  store: Store,
  range?: { readonly after?: number; readonly limit?: number },
): Promise<number[]> {
  return (await store.readMessages(row, range)).map((message) => message.sequence);
}

function said(sequence: number, id: string): MessageRow {
  return messageRow(sequence, { message: { role: 'user', id, content: id } });
}

export function messagesAppendOnly(open: OpenStore): void {
  describe('messages', () => {
    it('come back in order, in any range', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      expect(await sequences(store)).toEqual([]);
      await append(store, 1, 3);
      await append(store, 4, 4);
      await append(store, 5, 6);
      expect(await store.readMessages(row)).toEqual([1, 2, 3, 4, 5, 6].map((n) => messageRow(n)));
      expect(await sequences(store, {})).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await sequences(store, { after: 4 })).toEqual([5, 6]);
      expect(await sequences(store, { limit: 2 })).toEqual([1, 2]);
      expect(await sequences(store, { after: 2, limit: 3 })).toEqual([3, 4, 5]);
      expect(await sequences(store, { after: 6 })).toEqual([]);
      expect(await sequences(store, { after: 99 })).toEqual([]);
      expect(await sequences(store, { after: 5, limit: 10 })).toEqual([6]);
      expect(await sequences(store, { limit: 0 })).toEqual([]);
    });

    it('of a session that is not there are none', async () => {
      const { store } = await open();
      expect(await sequences(store)).toEqual([]);
    });

    it('are taken from one of several writers of the same number', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      await append(store, 1, 2);
      const won = await inParallel(10, (writer) => {
        const messages = [
          messageRow(3, { createdAt: writer }),
          messageRow(4, { createdAt: writer }),
        ];
        return store.commit(planFor(row, { guard: {}, insert: { messages } }));
      });
      expect(won.filter(Boolean)).toHaveLength(1);
      const tail = await store.readMessages(row, { after: 2 });
      expect(tail.map((message) => message.createdAt)).toEqual([
        won.indexOf(true),
        won.indexOf(true),
      ]);
    });

    it('after a number are removed, and appending goes on from there', async () => {
      const { store } = await open();
      const other = sessionRow({ sessionId: 'c', rootId: 's1' });
      const ofOther = [1, 2, 3, 4, 5].map((n) => messageRow(n, { sessionId: 'c' }));
      await seed(store, { sessions: [row, other], messages: ofOther });
      await append(store, 1, 6);
      const remove = { messagesAfter: [{ sessionId: 's1', sequence: 4 }] };
      expect(await store.commit(planFor(row, { remove }))).toBe(true);
      expect(await sequences(store)).toEqual([1, 2, 3, 4]);
      expect(await store.readMessages(other)).toEqual(ofOther);
      await append(store, 5, 5);
      expect(await sequences(store)).toEqual([1, 2, 3, 4, 5]);
    });

    it('are put in the place of those that the same plan removes', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row], messages: [1, 2, 3, 4].map((n) => messageRow(n)) });
      const replace = (after: number, sequence: number): Promise<boolean> =>
        store.commit(
          planFor(row, {
            guard: {},
            remove: { messagesAfter: [{ sessionId: 's1', sequence: after }] },
            insert: { messages: [messageRow(sequence, { createdAt: 7 })] },
          }),
        );
      expect(await replace(2, 2), 'one that stays is in the way').toBe(false);
      expect(await sequences(store)).toEqual([1, 2, 3, 4]);
      expect(await replace(2, 3)).toBe(true);
      const replaced = [messageRow(1), messageRow(2), messageRow(3, { createdAt: 7 })];
      expect(await store.readMessages(row)).toEqual(replaced);
      expect(await replace(9, 4), 'nothing to remove').toBe(true);
      expect(await sequences(store)).toEqual([1, 2, 3, 4]);
    });

    it('of a user are stored once by their id, whoever writes first', async () => {
      const { store } = await open();
      const other = sessionRow({ sessionId: 'c', rootId: 's1' });
      await seed(store, { sessions: [row, other], messages: [said(1, 'a')] });
      const writing = (sequence: number, id: string, after?: number): Promise<boolean> =>
        store.commit(
          planFor(row, {
            guard: {},
            insert: { messages: [said(sequence, id)] },
            ...(after !== undefined && {
              remove: { messagesAfter: [{ sessionId: 's1', sequence: after }] },
            }),
          }),
        );
      expect(await writing(2, 'a')).toBe(false);
      const won = await inParallel(6, (writer) => writing(2, writer % 2 ? 'b' : 'a'));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.readMessage(row, 'b')).toEqual(said(2, 'b'));
      expect(await store.readMessage(row, 'c')).toBeNull();
      expect(await store.readMessage(other, 'a')).toBeNull();
      const ofOther = { ...said(1, 'a'), sessionId: 'c' };
      expect(await store.commit(planFor(row, { guard: {}, insert: { messages: [ofOther] } }))).toBe(
        true,
      );
      expect(await writing(2, 'a', 1), 'the one that stays has it').toBe(false);
      expect(await writing(2, 'b', 1), 'the one that goes had it').toBe(true);
      expect(await store.readMessages(row)).toEqual([said(1, 'a'), said(2, 'b')]);
      expect(await writing(1, 'c', 0)).toBe(true);
      expect(await store.readMessage(row, 'b'), 'it went with its message').toBeNull();
      expect(await writing(2, 'b')).toBe(true);
    });

    it('of others than the user may share an id', async () => {
      const { store } = await open();
      const answer = { role: 'assistant', content: 'yes', id: 'a' } as const;
      const messages = [said(1, 'a'), messageRow(2, { message: answer }), messageRow(3)];
      await seed(store, { sessions: [row], messages });
      expect(await store.readMessage(row, 'a')).toEqual(said(1, 'a'));
      const insert = { messages: [messageRow(4, { message: answer })] };
      expect(await store.commit(planFor(row, { guard: {}, insert }))).toBe(true);
    });

    it('are read whole and page by page when there are 5,000', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      for (let from = 1; from <= 5_000; from += 250) await append(store, from, from + 249);
      expect(await sequences(store)).toEqual(Array.from({ length: 5_000 }, (_, n) => n + 1));
      const pages: number[] = [];
      for (let after = 0; ; after = pages.at(-1) as number) {
        const page = await sequences(store, { after, limit: 700 });
        if (page.length === 0) break;
        pages.push(...page);
      }
      expect(pages).toEqual(await sequences(store));
    });
  });
}
