// If this fails: after a restart sessions, answers or fences are gone, or not what they were.
import { callKey } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { readEverything } from './everything.ts';
import type { OpenStore, SessionStoreUnderTest } from './harness.ts';
import { planFor, recordFor, seed } from './plans.ts';
import { answer } from './rows-guard.ts';
import {
  callRow,
  checkpointRow,
  messageRow,
  planRow,
  referenceRow,
  runRow,
  sessionRow,
  T0,
} from './rows.ts';

const row = sessionRow({ customState: { list: [1, { deep: true }] } });
const child = sessionRow({ sessionId: 'c', rootId: 's1' });

async function reopened(opened: SessionStoreUnderTest): Promise<SessionStoreUnderTest['store']> {
  if (!opened.reopen) throw new Error('a persistent store needs `reopen` to be tested');
  return opened.reopen();
}

export function reopen(open: OpenStore): void {
  describe('a store that is closed and opened again', () => {
    it('holds every row it held', async () => {
      const opened = await open();
      await seed(opened.store, {
        sessions: [row, child],
        messages: [messageRow(1)],
        journal: [planRow()],
        calls: [callRow('a'), callRow('b')],
        references: [referenceRow('c')],
        checkpoints: [checkpointRow(1)],
        runs: [runRow('run')],
      });
      await answer(opened.store, callKey(callRow('a')), 'yes');
      await opened.store.requestInterrupt(row, 'stop', T0);
      const before = await readEverything(opened.store, [row, child]);
      const store = await reopened(opened);
      expect(await readEverything(store, [row, child])).toEqual(before);
      expect((await store.listOpenCalls()).items).toEqual([callRow('b')]);
    });

    it('still refuses what it refused', async () => {
      const opened = await open();
      await seed(opened.store, { sessions: [row], calls: [callRow('a')] });
      const plan = planFor(row);
      await opened.store.commit(plan);
      await opened.store.commit(recordFor(row, { journal: [planRow()] }));
      await answer(opened.store, callKey(callRow('a')), 'yes');
      const store = await reopened(opened);
      expect(await store.commit(plan)).toBe(false);
      expect(await store.commit(recordFor(row, { journal: [planRow()] }))).toBe(false);
      expect(await answer(store, callKey(callRow('a')), 'no')).toBe(false);
      expect(await store.commit(planFor({ ...row, version: 2 }))).toBe(true);
    });
  });
}
