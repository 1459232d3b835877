// If this fails: going back to an earlier point of a session lands in another one.
import type { RunStatus } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { seed } from '../store/plans.ts';
import { checkpointRow, messageRow, sessionRow } from '../store/rows.ts';
import type { FullStateStore, OpenStateStore } from './harness.ts';

export function checkpoints(open: OpenStateStore): void {
  describe('checkpoints', () => {
    it('are listed newest first, by offset or by cursor', async () => {
      const { store } = await open();
      await seedHistory(store, 7);
      const all = await store.listCheckpoints('s1');
      expect(all.items.map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1]);
      expect(all).toMatchObject({ total: 7, hasMore: false, cursor: null });
      const page = await store.listCheckpoints('s1', { offset: 2, limit: 3 });
      expect(page).toMatchObject({ items: all.items.slice(2, 5), total: 7, hasMore: true });

      const read = [];
      let cursor: string | null = null;
      do {
        const range: { limit: number; cursor?: string } = { limit: 3, ...(cursor && { cursor }) };
        const next = await store.listCheckpoints('s1', range);
        expect(next.total).toBe(7);
        read.push(...next.items);
        cursor = next.cursor;
      } while (cursor !== null);
      expect(read).toEqual(all.items);
    });

    it('are all found in a long history', async () => {
      const { store } = await open();
      await seedHistory(store, 250);
      expect((await store.listCheckpoints('s1', { limit: 1 })).total).toBe(250);
      expect(await store.getCheckpoint('s1', idOf(3))).toMatchObject({ version: 3 });
    });

    it('hold the state and the messages of their time', async () => {
      const { store } = await open();
      await seedHistory(store, 3);
      expect(await store.getCheckpoint('s1', idOf(2))).toEqual({
        id: idOf(2),
        sessionId: 's1',
        runId: 'run-1-of-s1',
        version: 2,
        stepId: 1,
        stepCount: 2,
        status: 'active',
        runStatus: 'running',
        messageCount: 2,
        streamSequence: 0,
        timestamp: expect.any(Number),
        state: {
          customState: { version: 2 },
          messages: [messageRow(1).message, messageRow(2).message],
        },
      });
      expect(await store.getLatestCheckpoint('s1')).toMatchObject({ version: 3 });
      expect(await store.getCheckpoint(idOf(1))).toMatchObject({ version: 1 });
      expect(await store.getCheckpoint('s1', 'nothing')).toBeNull();
      expect(await store.getLatestCheckpoint('nobody')).toBeNull();
    });

    it('go with the messages they need', async () => {
      const { store } = await open();
      await seedHistory(store, 5, 'completed');
      await store.truncateMessages('s1', 3);
      const versions = async (): Promise<readonly number[]> =>
        (await store.listCheckpoints('s1')).items.map(({ version }) => version);
      expect(await versions()).toEqual([3, 2, 1]);
      await store.truncateMessages('s1', 9);
      expect(await versions()).toEqual([3, 2, 1]);
      const state = async (): Promise<unknown> => (await store.loadState('s1'))?.customState;
      const before = await state();
      const restoreState = { none: true };
      await store.truncateMessages('s1', 3);
      expect(await state()).toEqual(before);
      await store.truncateMessages('s1', 2, { restoreState });
      expect([await versions(), await state()]).toEqual([[2, 1], { version: 2 }]);
      await store.truncateMessages('s1', 0, { restoreState });
      expect([await versions(), await state()]).toEqual([[], restoreState]);
    });
  });
}

function idOf(version: number): string {
  return `cpv1-s1-s${version}-t1800000000000-abcdef`;
}

async function seedHistory(
  store: FullStateStore,
  count: number,
  status: RunStatus = 'running',
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  await seed(store.sessions, {
    sessions: [sessionRow({ status, messageCount: count, version: count })],
    messages: numbers.map((number) => messageRow(number)),
    checkpoints: numbers.map((version) =>
      checkpointRow(version, {
        checkpointId: idOf(version),
        stepCount: version,
        messageCount: version,
        customState: { version },
      }),
    ),
  });
}
