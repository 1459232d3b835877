import type { CommitPlan } from '@helix-agents/core';
import { groupKey, renderGroup, renderStatement, type SqlClock } from '@helix-agents/store-sql';
import { leaveTogether } from './leave-together.ts';
import type { PgDriver } from './pg-driver.ts';

/**
 * Applies plans, each with one statement, those of different sessions together where they arrive so. Plans that leave
 * together do not depend on each other: where a key was taken, each is tried alone.
 */
export function createCommit(
  driver: PgDriver,
  clock: SqlClock,
): (plan: CommitPlan) => Promise<boolean> {
  const together = leaveTogether<{ plan: CommitPlan; key: string }, boolean>({
    keyOf: ({ key }) => key,
    idOf: ({ plan }) => sessionOf(plan),
    send: (items) =>
      commitGroup(
        driver,
        clock,
        items.map(({ plan }) => plan),
      ),
  });
  return (plan) => {
    const key = groupKey(plan);
    return key === null ? commitPlan(driver, clock, plan) : together({ plan, key });
  };
}

function sessionOf(plan: CommitPlan): string {
  return plan.sessions?.[0]?.sessionId ?? '';
}

async function commitGroup(
  driver: PgDriver,
  clock: SqlClock,
  plans: readonly CommitPlan[],
): Promise<readonly boolean[]> {
  if (plans.length > 1) {
    try {
      const rows = await driver.all(renderGroup(plans, clock));
      const won = new Set(rows.map((row) => row['session_id']));
      return plans.map((plan) => won.has(sessionOf(plan)));
    } catch (error) {
      if (!driver.isUniqueViolation(error)) throw error;
    }
  }
  return Promise.all(plans.map((plan) => commitPlan(driver, clock, plan)));
}

/**
 * A plan about rows that cannot be locked is only sure of its miss once it has missed twice over the same
 * session rows: the first time somebody may have been in between its snapshot and its lock.
 */
async function commitPlan(driver: PgDriver, clock: SqlClock, plan: CommitPlan): Promise<boolean> {
  const statement = renderStatement(plan, clock);
  let seen: unknown = NOTHING;
  for (;;) {
    const row = await runOnce(driver, statement);
    if (row === null) return false;
    if (row['won'] === true) return true;
    if (!statement.needsFreshSnapshot || row['seen'] === seen) return false;
    seen = row['seen'];
  }
}

const NOTHING = Symbol('nothing');

/** Null when a unique key was taken. */
async function runOnce(
  driver: PgDriver,
  statement: Parameters<PgDriver['all']>[0],
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const [row] = await driver.all(statement);
    return row ?? null;
  } catch (error) {
    if (driver.isUniqueViolation(error)) return null;
    throw error;
  }
}
