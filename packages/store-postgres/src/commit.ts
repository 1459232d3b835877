import type { CommitPlan } from '@helix-agents/core';
import { groupKey, renderGroup, renderStatement } from '@helix-agents/store-sql';
import type { PgDriver } from './pg-driver.ts';

interface Waiting {
  readonly plan: CommitPlan;
  readonly key: string;
  readonly resolve: (won: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Statements of groups under way at a time: while one waits for the disk the next is on its way. */
const LANES = 2;
const MOST_AT_ONCE = 64;

/**
 * Applies plans, each with one statement.
 *
 * I1. A plan that finds a free lane leaves at once. What arrives while all are taken waits for one to return, and
 *     then leaves together.
 * I2. Plans that leave together do not depend on each other. If their statement fails, each is tried alone.
 */
export function createCommit(driver: PgDriver): (plan: CommitPlan) => Promise<boolean> {
  let waiting: Waiting[] = [];
  let lanes = 0;

  const takeGroup = (): Waiting[] => {
    const [first] = waiting;
    const sessions = new Set<string>();
    const group = waiting.filter(({ plan, key }) => {
      const id = plan.sessions?.[0]?.sessionId ?? '';
      if (key !== first?.key || sessions.has(id) || sessions.size >= MOST_AT_ONCE) return false;
      sessions.add(id);
      return true;
    });
    waiting = waiting.filter((one) => !group.includes(one));
    return group;
  };

  const sendWaiting = async (): Promise<void> => {
    lanes += 1;
    while (waiting.length > 0) await commitGroup(driver, takeGroup());
    lanes -= 1;
  };

  return (plan) => {
    const key = groupKey(plan);
    if (key === null) return commitPlan(driver, plan);
    return new Promise((resolve, reject) => {
      waiting.push({ plan, key, resolve, reject });
      if (lanes < LANES) void sendWaiting();
    });
  };
}

async function commitGroup(driver: PgDriver, group: readonly Waiting[]): Promise<void> {
  if (group.length > 1) {
    try {
      const rows = await driver.all(renderGroup(group.map(({ plan }) => plan)));
      const won = new Set(rows.map((row) => row['session_id']));
      for (const { plan, resolve } of group) resolve(won.has(plan.sessions?.[0]?.sessionId));
      return;
    } catch (error) {
      if (!driver.isUniqueViolation(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
    }
  }
  await Promise.all(
    group.map(({ plan, resolve, reject }) => commitPlan(driver, plan).then(resolve, reject)),
  );
}

/**
 * A plan about rows that cannot be locked is only sure of its miss once it has missed twice over the same
 * session rows: the first time somebody may have been in between its snapshot and its lock.
 */
async function commitPlan(driver: PgDriver, plan: CommitPlan): Promise<boolean> {
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
