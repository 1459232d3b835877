// If this fails: an inbox hides a question or shows it twice, and a list of sessions has holes.
import {
  InvalidRequestError,
  type OpenCallRow,
  type Page,
  type SessionRow,
} from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import type { OpenStore, Store } from './harness.ts';
import { seed } from './plans.ts';
import { callRow, HOUR, sessionRow, settledCallRow, T0 } from './rows.ts';

async function seedRoots(store: Store, ...rows: readonly Partial<SessionRow>[]): Promise<void> {
  for (const row of rows) await seed(store, { sessions: [sessionRow(row)] });
}

/** Every page, until there is no next one. */
async function allPages<T>(read: (cursor?: string) => Promise<Page<T>>): Promise<T[][]> {
  const pages: T[][] = [];
  for (let cursor: string | null | undefined; cursor !== null && pages.length < 1_000;) {
    const page: Page<T> = await read(cursor);
    pages.push([...page.items]);
    cursor = page.cursor;
  }
  return pages;
}

export function listing(open: OpenStore): void {
  describe('listing sessions', () => {
    it('gives the latest first and ties by id', async () => {
      const { store } = await open();
      await seedRoots(
        store,
        { sessionId: 'old', updatedAt: T0 - 1 },
        { sessionId: 'tie-b' },
        { sessionId: 'new', updatedAt: T0 + 1 },
        { sessionId: 'tie-a' },
      );
      const { items, cursor } = await store.listSessions();
      expect(items.map((row) => row.sessionId)).toEqual(['new', 'tie-a', 'tie-b', 'old']);
      expect(cursor).toBeNull();
    });

    it('narrows by each filter, and by all together', async () => {
      const { store } = await open();
      const match = {
        agentType: 'writer',
        userId: 'u1',
        tags: ['red', 'big'],
        metadata: { team: 'x', level: 3, deep: { a: [1, null] } },
        status: 'completed',
      } as const;
      await seedRoots(store, { sessionId: 'match', ...match }, { sessionId: 'plain' });
      await seed(store, {
        sessions: [
          sessionRow({ sessionId: 'tree' }),
          sessionRow({ sessionId: 'kid', rootId: 'tree' }),
        ],
      });
      const found = async (filter: Parameters<Store['listSessions']>[0]): Promise<string[]> =>
        (await store.listSessions(filter)).items.map((row) => row.sessionId).toSorted();
      expect(await found({})).toEqual(['match', 'plain', 'tree']);
      expect(await found({ rootsOnly: false })).toEqual(['kid', 'match', 'plain', 'tree']);
      expect(await found({ agentType: 'writer' })).toEqual(['match']);
      expect(await found({ userId: 'u1' })).toEqual(['match']);
      expect(await found({ status: ['completed', 'failed'] })).toEqual(['match']);
      expect(await found({ status: [] })).toEqual([]);
      expect(await found({ tags: ['red'] })).toEqual(['match']);
      expect(await found({ tags: ['red', 'big'] })).toEqual(['match']);
      expect(await found({ tags: ['red', 'small'] })).toEqual([]);
      expect(await found({ tags: ['re'] })).toEqual([]);
      expect(await found({ metadata: { team: 'x', level: 3 } })).toEqual(['match']);
      expect(await found({ metadata: { level: '3' } })).toEqual([]);
      expect(await found({ metadata: { deep: { a: [1, null] } } })).toEqual(['match']);
      expect(await found({ metadata: { constructor: null } })).toEqual([]);
      const { tags, metadata, agentType, userId } = match;
      expect(await found({ status: ['completed'], tags, metadata, agentType, userId })).toEqual([
        'match',
      ]);
    });

    it('pages without gaps or repeats, also over ties and rows that come between', async () => {
      const { store } = await open();
      const ids = Array.from({ length: 25 }, (_, index) => `s-${String(index).padStart(2, '0')}`);
      await seedRoots(
        store,
        ...ids.map((sessionId, index) => ({ sessionId, updatedAt: T0 - (index % 3) })),
      );
      let added = 0;
      const pages = await allPages(async (cursor) => {
        const page = await store.listSessions({
          limit: 7,
          ...(cursor !== undefined && { cursor }),
        });
        // Newer than everything: belongs before the pages already read.
        await seedRoots(store, { sessionId: `late-${(added += 1)}`, updatedAt: T0 + 10 });
        return page;
      });
      expect(pages.map((page) => page.length)).toEqual([7, 7, 7, 4]);
      const seen = pages.flat().map((row) => row.sessionId);
      expect(seen.toSorted()).toEqual(ids);
      const times = pages.flat().map((row) => row.updatedAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    });
  });

  describe('the inbox of open calls', () => {
    const inbox: readonly OpenCallRow[] = [
      callRow('b', {
        openedAt: T0 + 2,
        userId: 'u1',
        kind: 'approval',
        toolName: 'pay',
        deadlineAt: T0 + 20,
      }),
      callRow('a', { openedAt: T0 + 1, userId: 'u1', deadlineAt: T0 + 10 }),
      callRow('c', { openedAt: T0 + 3, userId: 'u2', ownerAgentType: 'writer' }),
      callRow('answered', {
        state: 'answered',
        outcome: 'approved',
        userId: 'u1',
        ownerAgentType: 'writer',
        deadlineAt: T0 + 10,
      }),
      settledCallRow('settled', { userId: 'u1' }),
    ];

    it('lists what is open, oldest first, and narrows by each filter', async () => {
      const { store } = await open();
      await seed(store, { sessions: [sessionRow()], calls: inbox });
      const other = callRow('d', { rootId: 's2' });
      await seed(store, { sessions: [sessionRow({ sessionId: 's2' })], calls: [other] });
      const found = async (filter?: Parameters<Store['listOpenCalls']>[0]): Promise<string[]> =>
        (await store.listOpenCalls(filter)).items.map((call) => call.toolCallId);
      expect(await found()).toEqual(['d', 'a', 'b', 'c']);
      expect(await found({ rootSessionId: 's1' })).toEqual(['a', 'b', 'c']);
      expect(await found({ userId: 'u1' })).toEqual(['a', 'b']);
      expect(await found({ kind: 'approval' })).toEqual(['b']);
      expect(await found({ toolName: 'pay', userId: 'u1' })).toEqual(['b']);
      expect(await found({ toolName: 'pay', userId: 'u2' })).toEqual([]);
      expect(await found({ agentType: 'writer' })).toEqual(['c']);
      expect(await found({ agentType: 'writer', userId: 'u1' })).toEqual([]);
      expect(await found({ dueBefore: T0 + 10 }), 'before, not at').toEqual([]);
      expect(await found({ dueBefore: T0 + 11 })).toEqual(['a']);
      expect(await found({ dueBefore: T0 + HOUR }), 'not those without').toEqual(['a', 'b']);
      expect(await found({ dueBefore: T0 + HOUR, rootSessionId: 's2' })).toEqual([]);
      expect((await store.listOpenCalls({ rootSessionId: 's2' })).items).toEqual([other]);
    });

    it('pages without gaps or repeats while calls are answered', async () => {
      const { store } = await open();
      const calls = Array.from({ length: 23 }, (_, index) =>
        callRow(`call-${index}`, { openedAt: T0 + (index % 4), part: index % 2 ? 'x' : '' }),
      );
      await seed(store, { sessions: [sessionRow()], calls });
      const pages = await allPages((cursor) =>
        store.listOpenCalls({ limit: 5, ...(cursor !== undefined && { cursor }) }),
      );
      expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 3]);
      const seen = pages.flat().map((call) => call.toolCallId);
      expect(seen.toSorted()).toEqual(calls.map((call) => call.toolCallId).toSorted());
    });

    it.each([
      '',
      'x',
      '{}',
      '[]',
      '[1]',
      '["a","b"]',
      '["a","b","c","d"]',
      '[1,2,3,4]',
      '[1.5,"a"]',
    ])('refuses the cursor %j, which it never gave', async (cursor) => {
      const { store } = await open();
      await seed(store, { sessions: [sessionRow()], calls: [callRow('a')] });
      await expect(store.listSessions({ cursor })).rejects.toThrow(InvalidRequestError);
      await expect(store.listOpenCalls({ cursor })).rejects.toThrow(InvalidRequestError);
    });

    it.each([
      ['root', { rootSessionId: 's1' }],
      ['agent type', { agentType: 'writer' }],
      ['deadline', { dueBefore: T0 + HOUR }],
      ['all of them', { rootSessionId: 's1', agentType: 'writer', dueBefore: T0 + HOUR }],
    ])('pages in order without gaps when narrowed by %s', async (_, filter) => {
      const { store } = await open();
      const match = { ownerAgentType: 'writer' };
      const [calls, others] = ['s1', 's2'].map((rootId) =>
        Array.from({ length: 20 }, (_call, index) =>
          callRow(`call-${String(index).padStart(2, '0')}`, {
            rootId,
            openedAt: T0 + (index % 4),
            // Falls while the opening rises: the order of deadlines is not the order of the list.
            deadlineAt: rootId === 's1' ? T0 + HOUR - 1 - index : null,
            ...(rootId === 's1' && match),
          }),
        ),
      ) as [OpenCallRow[], OpenCallRow[]];
      await seed(store, { sessions: [sessionRow()], calls });
      await seed(store, { sessions: [sessionRow({ sessionId: 's2' })], calls: others });
      const pages = await allPages((cursor) =>
        store.listOpenCalls({ ...filter, limit: 7, ...(cursor !== undefined && { cursor }) }),
      );
      expect(pages.map((page) => page.length)).toEqual([7, 7, 6]);
      expect(pages.flat()).toEqual(calls.toSorted((a, b) => a.openedAt - b.openedAt));
    });
  });
}
