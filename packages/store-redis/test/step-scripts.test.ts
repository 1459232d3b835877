// If this fails: the quick way to record or to close a step writes other rows than the words of a commit do, or passes over a
// guard.
import { callKey } from '@helix-agents/core';
import type { CommitPlan, SessionGuard } from '@helix-agents/core';
import { describeServer } from '@helix-agents/test-servers';
import {
  callRow,
  checkpointRow,
  messageRow,
  planFor,
  planRow,
  recordFor,
  resultRow,
  seed,
  sessionRow,
  T0,
  usageRow,
} from '@helix-agents/testing';
import { expect, it, onTestFinished } from 'vitest';
import { stepCloseOf } from '../src/session/step-close.ts';
import { stepRecordOf } from '../src/session/step-record.ts';
import { openSpace, type Space } from './connections.ts';
import { dumpSpace } from './dump-space.ts';

const row = sessionRow({ version: 4, epoch: 2, records: 3, stepId: 7, messageCount: 1 });
const { sessionId, runId } = row;
const own: SessionGuard = {
  sessionId,
  version: 4,
  epoch: 2,
  records: 3,
  stepId: 7,
  status: ['running'],
};

/** What the engine commits at the end of a step. */
function closing(guard: Partial<SessionGuard> = {}): CommitPlan {
  return planFor(row, {
    guard: { sessions: [{ ...own, ...guard }], interruptsAbsent: [{ sessionId, runId }] },
    sessions: [
      {
        sessionId,
        set: {
          lastCommit: 'commit-1',
          stepId: 8,
          stepCount: 2,
          messageCount: 3,
          customState: { odd: 'a\u0000b \ud800 \n' },
        },
        raise: { version: true },
      },
    ],
    insert: {
      messages: [messageRow(2, { createdAt: T0 }), messageRow(3, { createdAt: T0 })],
      checkpoints: [checkpointRow(5, { timestamp: T0 })],
      usage: [usageRow('u1', { timestamp: T0 }), usageRow('u2', { timestamp: T0 - 5 })],
    },
    remove: { journal: [{ sessionId, stepId: 7 }] },
  });
}

async function seeded(): Promise<Omit<ReturnType<Space['open']>, 'close'> & Space> {
  const space = await openSpace();
  onTestFinished(space.close);
  const opened = space.open();
  await seed(opened.store, {
    sessions: [row],
    messages: [messageRow(1)],
    journal: [planRow({ stepId: 7 }), planRow({ stepId: 70 })],
  });
  return { ...opened, ...space };
}

async function rowsOf({ store, usageStore }: Awaited<ReturnType<typeof seeded>>): Promise<unknown> {
  return {
    session: await store.readSession(row),
    messages: await store.readMessages(row),
    checkpoints: await store.readCheckpoints(row),
    usage: await usageStore.getEntries(sessionId),
    step: await store.readStep(row),
  };
}

/** What the engine commits before it goes on within a step. */
function recording(): CommitPlan {
  const usage = [usageRow('u3', { timestamp: T0 - 5 })];
  const journal = [{ ...resultRow('odd \u0000 \ud800', { stepId: 7 }), createdAt: T0 - 1 }];
  return recordFor(row, { journal, usage });
}

const quickPlanOf = (plan: CommitPlan): unknown => stepCloseOf(plan) ?? stepRecordOf(plan);

describeServer('redis', () => {
  it.each<[string, CommitPlan]>([
    ['a close', closing()],
    ['a record', recording()],
  ])('%s writes the same rows as a plan that has one word more', async (_, plan) => {
    const [quick, general] = [await seeded(), await seeded()];
    // A call that is not there is passed over.
    const longer = { ...plan, update: { calls: [{ key: callKey(callRow('none')), set: {} }] } };
    expect([quickPlanOf(plan), quickPlanOf(longer)]).toEqual([expect.anything(), null]);
    expect(await quick.store.commit(plan)).toBe(true);
    expect(await general.store.commit(longer)).toBe(true);
    expect(await rowsOf(quick)).toEqual(await rowsOf(general));
  });

  it('a record is refused once its key or its usage is taken, or in another step or epoch', async () => {
    const space = await seeded();
    const { store } = space;
    expect(await store.commit(recording())).toBe(true);
    const before = await dumpSpace(space);
    const other = { ...recording().insert, journal: [resultRow('x', { stepId: 7, index: 1 })] };
    const plans = [
      recording(),
      recordFor(row, other),
      recordFor({ ...row, stepId: 8 }, { journal: other.journal }),
      recordFor({ ...row, epoch: 1 }, { journal: other.journal }),
    ];
    for (const plan of plans) {
      expect(stepRecordOf(plan)).not.toBeNull();
      expect(await store.commit(plan)).toBe(false);
    }
    expect(await dumpSpace(space)).toBe(before);
    expect(await store.commit(recordFor(row, { journal: other.journal }))).toBe(true);
    expect((await store.readSession(row))?.records).toBe(5);
  });

  it.each<[string, CommitPlan]>([
    ['version', closing({ version: 5 })],
    ['epoch', closing({ epoch: 1 })],
    ['step', closing({ stepId: 6 })],
    ['records', closing({ records: 2 })],
  ])('a close is refused with another %s', async (_, plan) => {
    const space = await seeded();
    const before = await dumpSpace(space);
    expect(await space.store.commit(plan)).toBe(false);
    expect(await dumpSpace(space)).toBe(before);
  });

  it('a close is refused when a stop waits, a key is taken, or the session is gone', async () => {
    const space = await seeded();
    const { store, usageStore } = space;
    await store.requestInterrupt(row, null, T0);
    expect(await store.commit(closing()), 'a stop').toBe(false);
    const { guard, ...rest } = closing();
    const again = { ...rest, guard: { sessions: guard.sessions ?? [] } };
    expect(stepCloseOf(again)).not.toBeNull();
    const twice = planFor(row, { insert: { usage: [usageRow('u2')] }, sessions: [{ sessionId }] });
    expect(await store.commit(twice)).toBe(true);
    expect(await store.commit(again), 'usage').toBe(false);
    expect(await usageStore.getEntries(sessionId)).toHaveLength(1);
    await store.deleteSession(row);
    expect(await store.commit(again), 'gone').toBe(false);
  });

  it.each<[string, Partial<CommitPlan>]>([
    ['messages', { insert: { messages: [messageRow(2)] } }],
    ['checkpoints', { insert: { checkpoints: [checkpointRow(5)] } }],
  ])('a close is refused when the number of one of its %s is taken', async (_, taken) => {
    const { store } = await seeded();
    expect(await store.commit(planFor(row, { ...taken, sessions: [{ sessionId }] }))).toBe(true);
    expect(await store.commit(closing())).toBe(false);
  });

  it('a close is not taken for one that ends the run, or is of another moment', () => {
    const plan = closing();
    const [update] = plan.sessions ?? [];
    const sets = [{ status: 'completed' }, { error: null }, { updatedAt: T0 }] as const;
    for (const set of sets) {
      const sessions = [{ ...update!, set: { ...update!.set, ...set } }];
      expect(stepCloseOf({ ...plan, sessions }), JSON.stringify(set)).toBeNull();
    }
    expect(stepCloseOf({ ...plan, now: T0 + 1 })).toBeNull();
  });
});
