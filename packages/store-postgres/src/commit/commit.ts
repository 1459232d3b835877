import type { CommitPlan } from '@helix-agents/core/store';
import type { SqlClock } from '@helix-agents/store-sql';
import { createGroupCommit } from '../group-commit/commit-groups.ts';
import { runUnlessKeyTaken, type PgDriver } from '../pg-driver.ts';
import { renderStatement } from './render-statement.ts';

/** Applies plans, each by one statement; with `groupCommits` those of different sessions that arrive together share one. */
export function createCommit(
  driver: PgDriver,
  clock: SqlClock,
  groupCommits: boolean,
): (plan: CommitPlan) => Promise<boolean> {
  const groups = createGroupCommit(driver, clock);
  return async (plan) => {
    const grouped = groupCommits ? groups.prepare(plan) : null;
    return grouped ? groups.commit(grouped) : commitAlone(driver, clock, plan);
  };
}

/**
 * A plan about rows that cannot be locked is only sure of its miss once it has missed twice over the same session rows: the first
 * time somebody may have written between its snapshot and its lock.
 */
async function commitAlone(driver: PgDriver, clock: SqlClock, plan: CommitPlan): Promise<boolean> {
  const statement = renderStatement(plan, clock);
  let seen: unknown = NOTHING;
  for (;;) {
    const row = (await runUnlessKeyTaken(driver, statement))?.[0];
    if (row?.['won'] === true) return true;
    if (row === undefined || !statement.needsFreshSnapshot || row['seen'] === seen) return false;
    seen = row['seen'];
  }
}

const NOTHING = Symbol('nothing');
