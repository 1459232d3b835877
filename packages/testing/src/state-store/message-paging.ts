// If this fails: a transcript has holes or doubles where pages meet, or grows in the wrong order.
import type { Message } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { inParallel } from '../store/everything.ts';
import type { OpenStateStore } from './harness.ts';

export function messagePaging(open: OpenStateStore): void {
  describe('messages', () => {
    it('come back page by page without holes or doubles', async () => {
      const { store } = await open();
      await store.createSession('s1');
      const messages = numbered(7);
      expect(await store.appendMessages('s1', messages.slice(0, 3))).toMatchObject({
        messageCount: 3,
      });
      await store.appendMessages('s1', messages.slice(3));
      expect(await store.getAllMessages('s1')).toEqual(messages);
      for (let limit = 1; limit <= 8; limit += 1) {
        const read: Message[] = [];
        for (let more = true; more;) {
          const page = await store.getMessages('s1', { offset: read.length, limit });
          expect(page.total).toBe(7);
          read.push(...page.messages);
          more = page.hasMore;
        }
        expect(read).toEqual(messages);
      }
      expect(await store.getMessages('s1', { offset: 9 })).toEqual({
        messages: [],
        total: 7,
        hasMore: false,
      });
      expect(await store.getMessages('s1', { limit: 0 })).toMatchObject({ hasMore: true });
      await expect(store.getMessages('s1', { offset: -1 })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    });

    it('appended by many at once are all there, in one order', async () => {
      const { store, connections } = await open();
      await store.createSession('s1');
      await inParallel(12, async (writer) => {
        const connection = connections[writer % connections.length] ?? store;
        const pair = [`${writer}a`, `${writer}b`];
        await connection.appendMessages(
          's1',
          pair.map((content) => ({ role: 'user', content })),
        );
      });
      const contents = (await store.getAllMessages('s1')).map(({ content }) => content);
      expect(contents).toHaveLength(24);
      for (let writer = 0; writer < 12; writer += 1) {
        expect(contents.indexOf(`${writer}b`)).toBe(contents.indexOf(`${writer}a`) + 1);
      }
      expect(await store.loadState('s1')).toMatchObject({ version: 13, messageCount: 24 });
    });

    it('are cut to the first few, and go on from there', async () => {
      const { store } = await open();
      await store.createSession('s1');
      await store.appendMessages('s1', numbered(5));
      expect(await store.truncateMessages('s1', 2)).toMatchObject({ messageCount: 2 });
      expect(await store.truncateMessages('s1', 9)).toMatchObject({ messageCount: 2 });
      await store.appendMessages('s1', [{ role: 'user', content: 'new' }]);
      const contents = (await store.getAllMessages('s1')).map(({ content }) => content);
      expect(contents).toEqual(['1', '2', 'new']);
    });

    it('leave reasoning out when asked to', async () => {
      const { store } = await open();
      await store.createSession('s1');
      await store.appendMessages('s1', [{ role: 'assistant', content: 'a', thinking: 'hm' }]);
      const read = async (includeThinking?: boolean): Promise<unknown> =>
        (await store.getMessages('s1', includeThinking === undefined ? {} : { includeThinking }))
          .messages[0];
      expect(await read()).toMatchObject({ thinking: 'hm' });
      expect(await read(true)).toMatchObject({ thinking: 'hm' });
      expect(await read(false)).toEqual({ role: 'assistant', content: 'a' });
    });
  });
}

function numbered(count: number): Message[] {
  return Array.from({ length: count }, (_, index) => ({ role: 'user', content: `${index + 1}` }));
}
