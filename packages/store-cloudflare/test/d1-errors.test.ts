// If this fails: a passing error of D1 ends a run, or a write that was applied is applied again.
import type { UsageEntry } from '@helix-agents/core/store';
import { expect, it } from 'vitest';
import { D1StateError, D1StateStore, D1UsageStore, type D1Like } from '../src/d1.ts';

const LOST = 'D1_ERROR: Network connection lost.';
const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.';
const retries = { attempts: 3, pauseMs: 0 };

/** A database with the current schema and no rows that fails as told, call by call, and counts the calls. */
function failing(errors: readonly string[]): {
  readonly database: D1Like;
  readonly calls: () => number;
} {
  let calls = 0;
  const answer = (): { results: unknown[]; meta: Record<string, unknown> } => {
    const error = errors[calls];
    calls += 1;
    if (error !== undefined) throw new Error(error);
    return { results: [{ version: 15 }], meta: { changes: 1 } };
  };
  const statement = { bind: () => statement, all: async () => answer() };
  return {
    calls: () => calls,
    database: {
      prepare: () => statement,
      batch: async (statements) => statements.map(() => answer()).slice(0, statements.length),
    },
  };
}

it('D1 reads are repeated after a lost connection, and fail as unavailable at the last attempt', async () => {
  const { database, calls } = failing([LOST, LOST, LOST]);
  const usage = new D1UsageStore({ database, retries });
  await expect(usage.getEntries('s')).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(calls()).toBe(3);
});

it('D1 errors that no repetition mends are told as refused, at once, without the text of D1', async () => {
  const { database, calls } = failing(['D1_ERROR: near "secret": syntax error']);
  const { sessions } = new D1StateStore({ database, retries });
  const refused = await sessions
    .readSession({ rootId: 's', sessionId: 's' })
    .catch((error: unknown) => error);
  expect(D1StateError.isInstance(refused)).toBe(true);
  expect((refused as Error).message).not.toContain('secret');
  expect(calls()).toBe(1);
});

it.each([
  ['is repeated if it never ran', OVERLOADED, 3],
  ['is not repeated if it may have been applied', LOST, 1],
])('a write of D1 %s', async (_, error, times) => {
  const schema = failing([]);
  const writes = failing([error, error, error]);
  const usage = new D1UsageStore({
    database: {
      prepare: (sql) => schema.database.prepare(sql),
      batch: (statements) => writes.database.batch(statements),
    },
    retries,
  });
  const entry: UsageEntry = {
    id: 'e',
    sessionId: 's',
    rootId: 's',
    runId: 'r',
    kind: 'custom',
    source: { type: 'agent', name: 'a' },
    timestamp: 1,
    stepCount: 1,
    data: {},
  };
  const write = usage.recordEntry(entry);
  await expect(write).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(writes.calls()).toBe(times);
});
