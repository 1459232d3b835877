import type { CommitPlan, SessionGuard, SessionUpdate } from '@helix-agents/core/store';
import { sessionGuards, tables, type SqlClock, type Statement } from '@helix-agents/store-sql';
import {
  absences,
  heldCondition,
  lockCalls,
  lockReferences,
  presences,
  sessionConditions,
  type Lock,
} from './guards.ts';
import { carriedParts, encodeCarried } from './carried-writes.ts';
import { createParams, rowsAs, type ListParam, type Params } from './params.ts';
import { encodeWrites, renderWrites } from './plan-writes.ts';
import { updateOf } from './row-writes.ts';
import { sessionItem, sessionType, setSession } from './session-items.ts';

export interface CommitStatement extends Statement<ListParam> {
  /**
   * The plan depends on rows that cannot be locked, and `seen` in the result has the versions of the session rows in its snapshot. A miss
   * is certain once two attempts have seen the same versions.
   */
  readonly needsFreshSnapshot: boolean;
}

/**
 * A commit as one statement: one round trip, and no transaction that would bind a connection of a pooler. Its result is `won`.
 *
 * I1. All commits lock rows in one order: calls, references, sessions; each by key.
 * I2. A guard on named rows sees them locked, in their newest version. Guards on absent rows, and deletions of a range, see the
 *     snapshot: the plan misses if a session row has changed since.
 * I3. `gate` has a row if every guard holds; every write joins it.
 * I4. All parts see one snapshot, so no row is written twice, and an insert that needs a deletion first depends on its part.
 */
export function renderStatement(plan: CommitPlan, clock: SqlClock): CommitStatement {
  const params = createParams(clock);
  const origin = clock.originOf(plan.now);
  const guards = sessionGuards(plan).filter(({ absent }) => absent !== true);
  const updates = plan.sessions ?? [];
  if (updates.length + (plan.insert?.sessions ?? []).length === 0) {
    throw new TypeError('a commit plan updates or inserts at least one session');
  }
  const [guard] = guards;
  const [update] = updates;
  const single = guards.length === 1 && updates.length === 1;
  // If one session is updated, its row says whether an interrupt is pending.
  const noted = single ? guard?.sessionId : undefined;
  const fresh = needsFreshSnapshot(plan, noted);
  const locks = lockOthers(params, plan);
  const conditions = [
    ...locks.map(({ condition }) => condition),
    ...absences(params, plan, noted),
    ...presences(params, plan),
  ];
  const scope: Scope = { plan, params, origin, conditions, fresh };
  const gate =
    single && guard && update
      ? [guardedUpdate(scope, guard, update)]
      : heldGate(scope, guards, updates);
  const parts = [
    ...locks.map(({ part }) => part),
    ...gate,
    ...renderWrites(params, encodeWrites(plan, origin)),
    ...renderCarried(params, plan),
  ];
  const seen = fresh ? `, ${seenRows(params, guards)} as seen` : '';
  const sql = `with ${parts.join(',\n')}\nselect exists (select 1 from gate) as won${seen}`;
  return { sql, params: params.values, needsFreshSnapshot: fresh };
}

function renderCarried(params: Params, plan: CommitPlan): string[] {
  const carried = encodeCarried(plan, plan.rootId);
  if (!carried) return [];
  return carriedParts(carried, 'leave out').map(({ name, columns, rows, text }) => {
    const list = rows.length === 0 ? '' : rowsAs(params, 'e', columns, rows);
    return `${name} as (${text(list, 'true')})`;
  });
}

interface Scope {
  readonly plan: CommitPlan;
  readonly params: Params;
  readonly origin: number;
  /** Conditions besides those on session rows. */
  readonly conditions: readonly string[];
  /** The session rows must not have changed since the snapshot. */
  readonly fresh: boolean;
}

/** Writes of such rows also write their session row; journal rows are also counted in `records`. */
export function needsFreshSnapshot({ guard, remove = {} }: CommitPlan, noted?: string): boolean {
  const counted = new Set(
    guard.sessions?.filter(({ records }) => records !== undefined).map((one) => one.sessionId),
  );
  const lists = [
    guard.journalAbsent,
    guard.interruptsPresent,
    guard.interruptsAbsent?.filter(({ sessionId }) => sessionId !== noted),
    remove.interrupts,
    remove.messagesAfter,
    remove.checkpointsAfter,
    remove.journal?.filter(({ sessionId }) => !counted.has(sessionId)),
  ];
  return lists.some((list) => list !== undefined && list.length > 0);
}

function lockOthers(params: Params, plan: CommitPlan): Lock[] {
  const calls = lockCalls(params, plan);
  const references = lockReferences(params, plan, calls ? 'calls' : undefined);
  return [calls, references].filter((lock) => lock !== null);
}

const updateSessions = updateOf(tables.sessions, ['session_id']);

/** For commits about one session, which are most: its update is lock, guard and gate in one. */
function guardedUpdate(scope: Scope, guard: SessionGuard, update: SessionUpdate): string {
  const { plan, params, origin, conditions, fresh } = scope;
  const id = params.add(update.sessionId, 'text');
  const item = sessionItem(update, plan, origin);
  const set = setSession(Object.keys(item), (name) =>
    params.add(item[name] ?? null, sessionType(name)),
  );
  const uninterrupted = (plan.guard.interruptsAbsent ?? [])
    .filter(({ sessionId }) => sessionId === guard.sessionId)
    .map(({ runId }) => `t.interrupted_run is distinct from ${params.add(runId, 'text')}`);
  const unchanged = `t.xmin = (select x.xmin from __agents_sessions as x where x.session_id = ${id})`;
  const where = [
    `t.session_id = ${id}`,
    ...sessionConditions(params, guard, plan.now),
    ...uninterrupted,
    ...conditions,
    ...(fresh ? [unchanged] : []),
  ];
  return `gate as (update __agents_sessions as t set ${set} where ${where.join(' and ')} returning 1)`;
}

/** For several sessions, or if none is updated: the rows are locked first and then compared. */
function heldGate(
  { plan, params, origin, conditions, fresh }: Scope,
  guards: readonly SessionGuard[],
  updates: readonly SessionUpdate[],
): string[] {
  const others = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  if (guards.length === 0) return [`gate as materialized (select 1${others})`];
  const ids = params.add(
    guards.map(({ sessionId }) => sessionId),
    'text[]',
  );
  const held = `held as materialized (
    select session_id, version, epoch, step_id, records, status, closed, lease_until, xmin as x
    from __agents_sessions where session_id = any(${ids}) and exists (select 1 from ready)
    order by session_id for update)`;
  const unchanged = `not exists (select 1 from held as h
    join __agents_sessions as s on s.session_id = h.session_id where s.xmin <> h.x)`;
  const wanted = [
    'exists (select 1 from ready)',
    heldCondition(params, guards, plan.now),
    ...(fresh ? [unchanged] : []),
  ];
  const items = updates.map((update) => sessionItem(update, plan, origin));
  return [
    `ready as materialized (select 1${others})`,
    held,
    `gate as materialized (select 1 where ${wanted.join(' and ')})`,
    ...updateSessions(params, items).map((sql, index) => `s${index} as (${sql})`),
  ];
}

/** The versions of the session rows in the snapshot. */
function seenRows(params: Params, guards: readonly SessionGuard[]): string {
  const [guard, ...others] = guards;
  if (guard && others.length === 0) {
    const id = params.add(guard.sessionId, 'text');
    return `(select s.xmin::text from __agents_sessions as s where s.session_id = ${id})`;
  }
  const ids = params.add(
    guards.map(({ sessionId }) => sessionId),
    'text[]',
  );
  return `(select string_agg(s.xmin::text, ',' order by s.session_id) from __agents_sessions as s
  where s.session_id = any(${ids}))`;
}
