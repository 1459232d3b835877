import type { CommitPlan } from '@helix-agents/core/store';
import type { SqlClock, SqlParam } from '@helix-agents/store-sql';
import { isOfAll } from '../errors.ts';
import { runUnlessKeyTaken, type PgDriver } from '../pg-driver.ts';
import { batchWrites } from './batch-writes.ts';
import { createGroupRenderer, type GroupedPlan, type GroupRenderer } from './render-group.ts';

/**
 * Group commit: plans of different sessions that arrive at the same time are applied by one statement, which costs one round trip
 * and one wait for the disk.
 *
 * Owns: which plans can share a statement (group-plan.ts), its text (render-group.ts, group-writes.ts), and when a statement leaves
 * (batch-writes.ts, which stream appends use too).
 * Does not own: the statement of a plan that leaves alone (../commit), and what to do after a lost reply (the engine).
 *
 * I1. A plan has the same outcome as if it had left alone: a missed guard or a taken key of one never refuses another.
 * I2. A plan in a group is about one session. A group has at most one plan per session, and plans of a session keep their order.
 * I3. A group locks its session rows in the order of their ids: groups of two processes never deadlock.
 * I4. A plan is written as it was when it was handed in, whatever the caller changes afterwards.
 * I5. A statement is applied whole or not at all. When the connection or the server fails, all its plans fail with that error: it is
 *     not known whether it was applied. After any other error each plan is sent again, alone.
 * I6. A plan does not wait for company: it leaves at the end of this turn of the event loop, or when one of two lanes is free. A
 *     statement that waits for a lock gives its lane up.
 * I7. A statement has a bounded number of plans and of characters.
 */
export interface GroupCommit {
  /** Null for a plan that has to leave alone. */
  prepare(plan: CommitPlan): GroupedPlan | null;
  commit(plan: GroupedPlan): Promise<boolean>;
}

export function createGroupCommit(driver: PgDriver, clock: SqlClock): GroupCommit {
  const groups = createGroupRenderer(clock);
  const commitTogether = batchWrites<GroupedPlan, boolean>({
    keyOf: ({ key }) => key,
    idOf: ({ sessionId }) => sessionId,
    sizeOf: ({ writes, carried }) =>
      sumOf(writes, sizeOfRows) + sizeOfRows({ rows: carried?.entries ?? [] }),
    send: (plans) => commitGroup(driver, groups, plans),
    isOfAll,
  });
  return { prepare: (plan) => groups.prepare(plan), commit: commitTogether };
}

/**
 * Chunks are seldom appended twice, so the first attempt does not look for known dedupe keys; a unique key that is taken may then be
 * that of a chunk.
 */
async function commitGroup(
  driver: PgDriver,
  groups: GroupRenderer,
  plans: readonly GroupedPlan[],
): Promise<readonly boolean[]> {
  const inOrder = plans.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const appends = plans.some(({ carried }) => carried !== null && carried.entries.length > 0);
  let rows = await runUnlessKeyTaken(driver, groups.render(inOrder, 'fail'));
  if (rows === null && appends)
    rows = await runUnlessKeyTaken(driver, groups.render(inOrder, 'leave out'));
  // Postgres does not say which plan has the taken key: each is sent again alone (I5).
  if (rows === null && plans.length > 1) throw new Error('a unique key is taken');
  const won = new Set(rows?.map((row) => row['session_id']));
  return plans.map(({ sessionId }) => won.has(sessionId));
}

function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  let sum = 0;
  for (const one of list) sum += numberOf(one);
  return sum;
}

function sizeOfRows({ rows }: { readonly rows: readonly (readonly SqlParam[])[] }): number {
  return sumOf(rows, (row) => sumOf(row, sizeOf));
}

function sizeOf(value: SqlParam): number {
  return typeof value === 'string' ? value.length : 0;
}
