import type { CommitPlan } from '@helix-agents/core';
import { renderStatement } from '@helix-agents/store-sql';
import type { PgDriver } from './pg-driver.ts';

/**
 * Applies a plan with one statement.
 *
 * A plan about rows that cannot be locked is only sure of its miss once it has missed twice over the same
 * session rows: the first time somebody may have been in between its snapshot and its lock.
 */
export async function commitPlan(driver: PgDriver, plan: CommitPlan): Promise<boolean> {
  const statement = renderStatement(plan);
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
