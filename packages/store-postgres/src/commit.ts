import type { CommitPlan } from '@helix-agents/core/store';
import {
  createGroupRenderer,
  renderStatement,
  type GroupedPlan,
  type GroupRenderer,
  type SqlClock,
  type SqlParam,
  type SqlRow,
} from '@helix-agents/store-sql';
import { isOfAll } from './errors.ts';
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
    sizeOf: ({ writes, carried }) =>
      sumOf(writes, sizeOfRows) + sizeOfRows({ rows: carried?.entries ?? [] }),
    send: (plans) => commitGroup(driver, groups, plans),
    isOfAll,
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

function sizeOfRows({ rows }: { readonly rows: readonly (readonly SqlParam[])[] }): number {
  return sumOf(rows, (row) => sumOf(row, sizeOf));
}

function sizeOf(value: SqlParam): number {
  return typeof value === 'string' ? value.length : 0;
}

/**
 * All groups take the rows of their sessions in one order. What is said is seldom known, so the first attempt does not look for
 * it; then a key that is taken may be that of a chunk.
 */
async function commitGroup(
  driver: PgDriver,
  groups: GroupRenderer,
  plans: readonly GroupedPlan[],
): Promise<readonly boolean[]> {
  const inOrder = plans.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const says = plans.some(({ carried }) => carried !== null && carried.entries.length > 0);
  let rows = await run(driver, groups.render(inOrder, 'fail'));
  if (rows === null && says) rows = await run(driver, groups.render(inOrder, 'leave out'));
  // Which of several has the key that is taken, nobody says.
  if (rows === null && plans.length > 1) throw new Error('a unique key is taken');
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

/** Null when a unique key was taken. */
async function run(
  driver: PgDriver,
  statement: Parameters<PgDriver['all']>[0],
): Promise<readonly SqlRow[] | null> {
  try {
    return await driver.all(statement);
  } catch (error) {
    if (driver.isUniqueViolation(error)) return null;
    throw error;
  }
}
