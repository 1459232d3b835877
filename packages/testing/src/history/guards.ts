import type { SessionRow } from '@helix-agents/core';
import type { CommitPlan, SessionGuard } from '@helix-agents/core/store';
import { callKey, interruptKey, journalKey, referenceKey, type Rows } from './replay.ts';

type Find = (rows: Rows, database: string, plan: CommitPlan) => string | undefined;

/** The first guard or key of a plan that does not hold, in words; null when all do. */
export function missedGuard(rows: Rows, database: string, plan: CommitPlan): string | null {
  for (const find of FINDERS) {
    const fault = find(rows, database, plan);
    if (fault !== undefined) return fault;
  }
  return null;
}

const FINDERS: readonly Find[] = [
  (rows, _database, { guard, now }) =>
    first(guard.sessions, (one) => sessionFault(rows.sessions.get(one.sessionId), one, now)),
  (rows, database, { guard }) =>
    first(guard.callsOpen, (key) =>
      rows.calls.get(callKey(database, key))?.state === 'open'
        ? undefined
        : `${key.toolCallId} is not open`,
    ),
  (rows, database, { guard }) =>
    first(guard.calls, ({ key, state, outcome }) => {
      const row = rows.calls.get(callKey(database, key));
      const fits = row?.state === state && row.outcome === outcome;
      return fits ? undefined : `${key.toolCallId} is ${row?.state}/${row?.outcome}`;
    }),
  (rows, _database, { guard }) =>
    first(guard.references, (one) => {
      const state = rows.references.get(referenceKey(one))?.state;
      return state === one.state ? undefined : `reference ${one.subSessionId} is ${state}`;
    }),
  (rows, _database, { guard }) =>
    first(guard.journalAbsent, (key) => taken(rows.journal, journalKey(key))),
  (rows, _database, { guard }) =>
    first(guard.interruptsAbsent, (key) =>
      rows.interrupts.has(interruptKey(key)) ? `run ${key.runId} is to stop` : undefined,
    ),
  (rows, _database, { sessions }) =>
    first(sessions, ({ sessionId }) =>
      rows.sessions.has(sessionId) ? undefined : `${sessionId} is absent`,
    ),
  (rows, database, plan) => takenKey(rows, database, plan),
];

/** A unique key that is already taken counts as a guard that missed. */
function takenKey(rows: Rows, database: string, { insert = {} }: CommitPlan): string | undefined {
  return (
    first(insert.sessions, (row) => taken(rows.sessions, row.sessionId)) ??
    first(insert.journal, (row) => taken(rows.journal, journalKey(row))) ??
    first(insert.calls, (row) => taken(rows.calls, callKey(database, row))) ??
    first(insert.references, (row) => taken(rows.references, referenceKey(row))) ??
    first(insert.runs, (row) => taken(rows.runs, row.runId)) ??
    first(insert.messages, (row) => {
      const known = rows.messages.get(row.sessionId) ?? [];
      return known.some((other) => other.sequence === row.sequence)
        ? `message ${row.sequence} of ${row.sessionId} is there`
        : undefined;
    })
  );
}

function first<T>(
  items: readonly T[] | undefined,
  find: (item: T) => string | undefined,
): string | undefined {
  for (const item of items ?? []) {
    const fault = find(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function taken(rows: ReadonlyMap<string, unknown>, key: string): string | undefined {
  return rows.has(key) ? `${key} is there` : undefined;
}

function sessionFault(
  row: SessionRow | undefined,
  guard: SessionGuard,
  now: number,
): string | undefined {
  const name = guard.sessionId;
  if (guard.absent) return row ? `${name} exists` : undefined;
  if (!row) return `${name} is absent`;
  for (const field of ['version', 'epoch', 'stepId', 'records'] as const) {
    if (guard[field] !== undefined && guard[field] !== row[field])
      return `${name}: ${field} is ${row[field]}, not ${guard[field]}`;
  }
  if (guard.status && !guard.status.includes(row.status)) return `${name} is ${row.status}`;
  const isLive = row.leaseUntil !== null && row.leaseUntil > now;
  return guard.leaseExpired && isLive ? `the lease of ${name} is live` : undefined;
}
