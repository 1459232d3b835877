import type { CommitPlan } from '@helix-agents/core';
import {
  createGroupRenderer,
  renderStatement,
  type GroupedPlan,
  type GroupRenderer,
  type SqlClock,
  type SqlParam,
  type SqlRow,
} from '@helix-agents/store-sql';
import { leaveTogether } from './leave-together.ts';
import type { PgDriver } from './pg-driver.ts';

/**
 * Applies plans, each with one statement, those of different sessions together where they arrive so. Plans that leave
 * together do not depend on each other.
 */
export function createCommit(
  driver: PgDriver,
  clock: SqlClock,
): (plan: CommitPlan) => Promise<boolean> {
  const groups = createGroupRenderer(clock);
  const together = leaveTogether<GroupedPlan, boolean>({
    keyOf: ({ key }) => key,
    idOf: ({ sessionId }) => sessionId,
    sizeOf: ({ writes }) => sumOf(writes, ({ rows }) => sumOf(rows, (row) => sumOf(row, sizeOf))),
    send: (plans) => commitGroup(driver, groups, plans),
  });
  return (plan) => {
    const grouped = groups.prepare(plan);
    return grouped === null ? commitPlan(driver, clock, plan) : together(grouped);
  };
}

function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  let sum = 0;
  for (const one of list) sum += numberOf(one);
  return sum;
}

function sizeOf(value: SqlParam): number {
  return typeof value === 'string' ? value.length : 0;
}

async function commitGroup(
  driver: PgDriver,
  groups: GroupRenderer,
  plans: readonly GroupedPlan[],
): Promise<readonly boolean[]> {
  const rows = await run(driver, groups.render(plans), plans.length === 1);
  const won = new Set(rows?.map((row) => row['session_id']));
  return plans.map(({ sessionId }) => won.has(sessionId));
}

/**
 * A plan about rows that cannot be locked is only sure of its miss once it has missed twice over the same
 * session rows: the first time somebody may have been in between its snapshot and its lock.
 */
async function commitPlan(driver: PgDriver, clock: SqlClock, plan: CommitPlan): Promise<boolean> {
  const statement = renderStatement(plan, clock);
  let seen: unknown = NOTHING;
  for (;;) {
    const row = (await run(driver, statement))?.[0];
    if (row?.['won'] === true) return true;
    if (row === undefined || !statement.needsFreshSnapshot || row['seen'] === seen) return false;
    seen = row['seen'];
  }
}

const NOTHING = Symbol('nothing');

/** Null when a unique key of the one plan was taken. Which of several has it, nobody says: then it throws. */
async function run(
  driver: PgDriver,
  statement: Parameters<PgDriver['all']>[0],
  isOne = true,
): Promise<readonly SqlRow[] | null> {
  try {
    return await driver.all(statement);
  } catch (error) {
    if (isOne && driver.isUniqueViolation(error)) return null;
    throw error;
  }
}
