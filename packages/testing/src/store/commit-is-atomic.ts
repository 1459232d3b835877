// If this fails: a crash or a race leaves half a step behind - a message without its state, a call a
// person is asked about that no session waits for, a finished run with an open journal (ATOM-01).
import { callKey } from '@helix-agents/core/store';
import type { SessionRow } from '@helix-agents/core';
import type { CommitGuard, CommitPlan, StepRows } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel, readEverything, sorted } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import {
  callRow,
  checkpointRow,
  messageRow,
  planRow,
  referenceRow,
  refOf,
  resultRow,
  runRow,
  sessionRow,
  startRow,
  T0,
  usageRow,
} from './rows.ts';

const root = sessionRow();
const child = sessionRow({ sessionId: 's1-sub-1-0', rootId: 's1' });
const oldCall = callRow('old');

async function seedTree(store: Store): Promise<void> {
  await seed(store, {
    sessions: [root, child],
    messages: [messageRow(1)],
    journal: [planRow(), resultRow('a')],
    calls: [oldCall],
    references: [referenceRow(child.sessionId)],
    runs: [runRow(root.runId)],
  });
  await store.requestInterrupt(root, 'stop', T0);
}

/** One of everything a plan can hold. */
function fullPlan(guard: CommitGuard = {}): CommitPlan {
  return planFor(root, {
    guard: { ...guard, sessions: [{ sessionId: 's1', version: 1 }, ...(guard.sessions ?? [])] },
    sessions: [
      {
        sessionId: 's1',
        set: { status: 'suspended_client_tool', stepId: 2, customState: { notes: ['new'] } },
        raise: { version: true, records: true },
      },
      { sessionId: child.sessionId, set: { closed: true } },
    ],
    insert: {
      sessions: [sessionRow({ sessionId: 's1-sub-2-0', rootId: 's1' })],
      messages: [messageRow(2), messageRow(3)],
      journal: [planRow({ stepId: 2 }), startRow('attempt', { stepId: 2 })],
      calls: [callRow('new')],
      references: [referenceRow('s1-sub-2-0', { stepId: 2 })],
      checkpoints: [checkpointRow(2)],
      runs: [runRow('run-2', { turn: 2 })],
      usage: [usageRow('usage-1')],
    },
    update: {
      calls: [{ key: callKey(oldCall), set: { state: 'settled', outcome: 'cancelled' } }],
      references: [{ sessionId: 's1', subSessionId: child.sessionId, set: { state: 'closed' } }],
      runs: [{ runId: root.runId, set: { status: 'completed', completedAt: T0 } }],
    },
    remove: {
      journal: [{ sessionId: 's1', stepId: 1 }],
      interrupts: [{ sessionId: 's1', runId: root.runId }],
    },
  });
}

/** Leaves a step with all that belongs to it for the next one. */
function nextStep(step: number): CommitPlan {
  const stepId = step + 1;
  const key = callKey(callRow(`call-${step}`));
  return planFor(sessionRow({ version: step }), {
    sessions: [{ sessionId: 's1', set: { stepId }, raise: { version: true } }],
    insert: { journal: [resultRow(stepId, { stepId })], calls: [callRow(`call-${stepId}`)] },
    update: { calls: [{ key, set: { state: 'settled' } }] },
    remove: { journal: [{ sessionId: 's1', stepId: step }] },
  });
}

const missingGuards: readonly [string, CommitGuard][] = [
  ['an older version', { sessions: [{ sessionId: child.sessionId, version: 7 }] }],
  ['another epoch', { sessions: [{ sessionId: child.sessionId, epoch: 2 }] }],
  ['another step', { sessions: [{ sessionId: child.sessionId, stepId: 2 }] }],
  ['other records', { sessions: [{ sessionId: child.sessionId, records: 1 }] }],
  ['another status', { sessions: [{ sessionId: child.sessionId, status: ['failed'] }] }],
  ['a session that is there', { sessions: [{ sessionId: child.sessionId, absent: true }] }],
  ['a session that is not there', { sessions: [{ sessionId: 'nobody', version: 1 }] }],
  ['a call that is not there', { callsOpen: [callKey(callRow('nobody'))] }],
  [
    'a call in another state',
    { calls: [{ key: callKey(oldCall), state: 'answered', outcome: 'approved' }] },
  ],
  [
    'a reference in another state',
    { references: [{ sessionId: 's1', subSessionId: child.sessionId, state: 'closing' }] },
  ],
  [
    'a journal row that is there',
    { journalAbsent: [{ sessionId: 's1', stepId: 1, index: 0, kind: 'result' }] },
  ],
];

export function commitIsAtomic(open: OpenStore): void {
  describe('an atomic commit', () => {
    it('shows every part of an applied plan', async () => {
      const { store } = await open();
      await seedTree(store);
      expect(await store.commit(fullPlan())).toBe(true);

      const session: SessionRow = {
        ...root,
        status: 'suspended_client_tool',
        stepId: 2,
        customState: { notes: ['new'] },
        version: 2,
        records: 1,
      };
      const step = await store.readStep(root);
      expect(step?.session).toEqual(session);
      expect(step?.interrupt).toBeNull();
      expect(sorted(step?.journal ?? [])).toEqual(
        sorted([planRow({ stepId: 2 }), startRow('attempt', { stepId: 2 })]),
      );
      expect(step?.calls).toEqual([callRow('new')]);
      expect(step?.references).toEqual([referenceRow('s1-sub-2-0', { stepId: 2 })]);
      expect(step?.children).toEqual([sessionRow({ sessionId: 's1-sub-2-0', rootId: 's1' })]);
      expect(await store.readSession(refOf(child))).toEqual({ ...child, closed: true });
      expect(await store.readMessages(root)).toEqual([messageRow(1), messageRow(2), messageRow(3)]);
      expect(sorted(await store.readCalls('s1'))).toEqual(
        sorted([callRow('new'), { ...oldCall, state: 'settled', outcome: 'cancelled' }]),
      );
      expect(await store.readRuns(root)).toEqual([
        runRow(root.runId, { status: 'completed', completedAt: T0 }),
        runRow('run-2', { turn: 2 }),
      ]);
      expect(await store.readCheckpoints(root)).toEqual([checkpointRow(2)]);
    });

    it.each(missingGuards)('writes nothing when it names %s', async (_, guard) => {
      const { store } = await open();
      await seedTree(store);
      const before = await readEverything(store, [root, child]);
      expect(await store.commit(fullPlan(guard))).toBe(false);
      expect(await readEverything(store, [root, child])).toEqual(before);
      expect(await store.readSession({ rootId: 's1', sessionId: 's1-sub-2-0' })).toBeNull();
      expect(await store.commit(fullPlan()), 'and nothing is in the way afterwards').toBe(true);
    });

    it('never shows a reader half of it', async () => {
      const { store } = await open();
      await seed(store, {
        sessions: [root],
        journal: [resultRow(1)],
        calls: [callRow('call-1')],
      });
      const views: (StepRows | null)[] = [];
      const read = async (): Promise<void> => void views.push(await store.readStep(root));
      for (let step = 1; step <= 20; step += 1) {
        const early = [read(), read()];
        const moved = store.commit(nextStep(step));
        await Promise.all([...early, moved, read(), read()]);
        expect(await moved).toBe(true);
      }
      for (const view of views) {
        const stepId = view?.session.stepId ?? 0;
        expect(view?.session.version).toBe(stepId);
        expect(view?.journal).toEqual([resultRow(stepId, { stepId })]);
        expect(view?.calls.map((call) => call.toolCallId)).toEqual([`call-${stepId}`]);
      }
    });

    it('carries many rows at once', async () => {
      const { store } = await open();
      await seed(store, { sessions: [root] });
      const messages = Array.from({ length: 300 }, (_, index) => messageRow(index + 1));
      const journal = messages.map((_, index) => resultRow(index, { index }));
      const calls = messages.map((_, index) => callRow(`call-${index}`));
      expect(await store.commit(planFor(root, { insert: { messages, journal, calls } }))).toBe(
        true,
      );
      expect(await store.readMessages(root)).toEqual(messages);
      const step = await store.readStep(root);
      expect(sorted(step?.journal ?? [])).toEqual(sorted(journal));
      expect(sorted(step?.calls ?? [])).toEqual(sorted(calls));
    });

    it('applies a plan that is sent again after its reply was lost only once', async () => {
      const { store } = await open();
      await seedTree(store);
      const plan = fullPlan();
      expect(await store.commit(plan)).toBe(true);
      const before = await readEverything(store, [root, child]);
      expect(await store.commit(plan)).toBe(false);
      expect(await readEverything(store, [root, child])).toEqual(before);
      await inParallel(5, () => store.commit(plan));
      expect(await readEverything(store, [root, child])).toEqual(before);
    });

    it('leaves `lastCommit` to the plan', async () => {
      const { store } = await open();
      await seed(store, { sessions: [root] });
      await store.commit(planFor(root));
      expect((await store.readSession(root))?.lastCommit).toBe(root.lastCommit);
      const set = { lastCommit: 'mine' };
      const named = planFor({ ...root, version: 2 }, { sessions: [{ sessionId: 's1', set }] });
      await store.commit(named);
      expect((await store.readSession(root))?.lastCommit).toBe('mine');
    });
  });
}
