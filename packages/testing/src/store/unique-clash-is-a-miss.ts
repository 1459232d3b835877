// If this fails: a lost race shows as a database error instead of "somebody else was first", so the
// loser crashes, or worse: part of what it wanted to write stays.
import type { CommitInserts } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel, readEverything } from './everything.ts';
import type { OpenStore } from './harness.ts';
import { planFor, seed } from './plans.ts';
import {
  callRow,
  checkpointRow,
  messageRow,
  planRow,
  referenceRow,
  resultRow,
  runRow,
  sessionRow,
  startRow,
  usageRow,
} from './rows.ts';

const row = sessionRow();
const child = sessionRow({ sessionId: 'c', rootId: 's1' });

const taken: Omit<CommitInserts, 'sessions'> = {
  messages: [messageRow(1)],
  journal: [planRow(), startRow('a')],
  calls: [callRow('call')],
  references: [referenceRow('c')],
  checkpoints: [checkpointRow(1)],
  runs: [runRow('run')],
  usage: [usageRow('usage')],
};

const clashes: readonly [string, CommitInserts][] = [
  ['session', { sessions: [child] }],
  ['message', { messages: [messageRow(2), messageRow(1, { createdAt: 0 })] }],
  ['journal row', { journal: [resultRow('new'), startRow('b')] }],
  ['plan', { journal: [planRow()] }],
  ['call', { calls: [callRow('new'), callRow('call', { toolName: 'other' })] }],
  ['reference', { references: [referenceRow('d'), referenceRow('c', { stepId: 2 })] }],
  ['checkpoint', { checkpoints: [checkpointRow(2), checkpointRow(1, { stepId: 7 })] }],
  ['run', { runs: [runRow('new'), runRow('run', { turn: 9 })] }],
  ['usage entry', { usage: [usageRow('new'), usageRow('usage', { stepCount: 9 })] }],
];

export function uniqueClashIsAMiss(open: OpenStore): void {
  describe('a commit whose key is taken misses like one whose guard fails', () => {
    it.each(clashes)('%s', async (_, insert) => {
      const { store } = await open();
      await seed(store, { sessions: [row, child], ...taken });
      const before = await readEverything(store, [row, child]);
      expect(await store.commit(planFor(row, { insert }))).toBe(false);
      expect(await readEverything(store, [row, child])).toEqual(before);
    });

    it('leaves no usage entry of a plan that missed', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row], messages: [messageRow(1)] });
      const usage = [usageRow('usage')];
      const clash = planFor(row, { insert: { usage, messages: [messageRow(1)] } });
      expect(await store.commit(clash)).toBe(false);
      expect(await store.commit(planFor(row, { insert: { usage } })), 'its id is free').toBe(true);
    });

    it('lets one of 20 create a session, and every loser leaves nothing', async () => {
      const { store } = await open();
      const won = await inParallel(20, (racer) =>
        store.commit({
          ...planFor(row),
          guard: racer % 2 === 0 ? { sessions: [{ sessionId: 's1', absent: true }] } : {},
          sessions: [],
          insert: {
            sessions: [{ ...row, leaseOwner: `${racer}` }],
            messages: [messageRow(1, { createdAt: racer })],
            runs: [runRow(`run-${racer}`)],
          },
        }),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      const winner = won.indexOf(true);
      expect((await store.readSession(row))?.leaseOwner).toBe(`${winner}`);
      expect(await store.readMessages(row)).toEqual([messageRow(1, { createdAt: winner })]);
      expect((await store.readRuns(row)).map((run) => run.runId)).toEqual([`run-${winner}`]);
    });

    it('keeps the same keys of another session or root apart', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row], ...taken });
      const other = sessionRow({ sessionId: 's2' });
      await seed(store, {
        sessions: [other],
        messages: [messageRow(1, { sessionId: 's2' })],
        journal: [planRow({ sessionId: 's2' })],
        calls: [callRow('call', { rootId: 's2' }), callRow('call', { rootId: 's2', part: 'b' })],
        references: [referenceRow('c', { sessionId: 's2' })],
        checkpoints: [checkpointRow(1, { sessionId: 's2' })],
        usage: [usageRow('usage', { sessionId: 's2', rootId: 's2' })],
      });
      expect(await store.readCalls('s1')).toEqual([callRow('call')]);
      expect(await store.readCalls('s2')).toHaveLength(2);
      expect(await store.readMessages(row)).toEqual([messageRow(1)]);
    });
  });
}
