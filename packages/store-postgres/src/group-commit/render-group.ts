import type { SessionRow } from '@helix-agents/core';
import type { CommitPlan, SessionGuard } from '@helix-agents/core/store';
import {
  encodeRow,
  insertColumns,
  sessionGuards,
  tables,
  type SqlClock,
  type SqlParam,
  type Statement,
} from '@helix-agents/store-sql';
import {
  carriedParts,
  encodeCarried,
  type Carried,
  type KnownKeys,
} from '../commit/carried-writes.ts';
import { tableText, tableValues, type ListParam, type Type } from '../commit/params.ts';
import { sessionItem, sessionType, setSession } from '../commit/session-items.ts';
import { groupSubject } from './group-plan.ts';
import { groupWrites, type GroupWrite } from './group-writes.ts';

/** Renders plans of different sessions as one statement. The invariants are those of commit-groups.ts. */
export interface GroupRenderer {
  /** Encodes a plan, which can share a statement with those of the same key. Null for one that has to leave alone. */
  prepare(plan: CommitPlan): GroupedPlan | null;
  /**
   * The rows of the statement are the sessions whose plan was applied. A plan that misses its guards leaves no row and keeps no
   * other from being applied; a unique key that is taken fails the statement, that of a chunk only with `fail`. All plans have the same
   * key, and each a session of its own.
   */
  render(plans: readonly GroupedPlan[], knownKeys: KnownKeys): Statement<ListParam>;
}

export interface GroupedPlan {
  readonly key: string;
  readonly sessionId: string;
  /** Encoded when the plan was handed in (I4); the first is the gate. */
  readonly writes: readonly GroupWrite[];
  /** What it appends to its stream. */
  readonly carried: Carried | null;
}

/**
 * Rows are found by their key alone: Postgres keeps the query plan that it made while there were few sessions, which must not be one
 * that scans them all. So nothing here can be joined by hash.
 *
 * A text is made once for each shape of commit, of which the engine has few.
 */
export function createGroupRenderer(clock: SqlClock): GroupRenderer {
  const texts = new Map<string, string>();
  return {
    prepare(plan) {
      const subject = groupSubject(plan);
      if (subject === null) return null;
      const origin = clock.originOf(plan.now);
      const isNew = 'created' in subject;
      const sessionId = isNew ? subject.created.sessionId : subject.updated;
      const gate = isNew ? createWrite(subject.created, origin) : gateWrite(gateRow(plan, origin));
      const writes = [gate, ...groupWrites(plan, origin)];
      return { key: gate.shape, sessionId, writes, carried: encodeCarried(plan, sessionId) };
    },
    render(plans, knownKeys) {
      const writes = together(plans, knownKeys);
      const shape = writes.map((one) => `${one.shape}${one.rows.length === 1 ? '' : '*'}`).join();
      const sql = texts.get(shape) ?? statementText(clock, writes);
      texts.set(shape, sql);
      return { sql, params: writes.flatMap(({ columns, rows }) => tableValues(columns, rows)) };
    },
  };
}

/** Merges writes of the same shape: the gate first, the others in the order of their shapes, so that equal groups have equal texts. */
function together(plans: readonly GroupedPlan[], knownKeys: KnownKeys): readonly GroupWrite[] {
  const writes = plans.flatMap((plan) => [...plan.writes, ...streamWrites(plan, knownKeys)]);
  const merged: GroupWrite[] = [];
  for (const group of Map.groupBy(writes, ({ shape }) => shape).values()) {
    merged.push({ ...(group[0] as GroupWrite), rows: group.flatMap(({ rows }) => rows) });
  }
  const [gate, ...others] = merged as [GroupWrite, ...GroupWrite[]];
  return [gate, ...others.toSorted((a, b) => (a.shape < b.shape ? -1 : 1))];
}

/** The first write is the gate. */
function statementText(clock: SqlClock, writes: readonly GroupWrite[]): string {
  let first = 1;
  const parts = writes.map(({ name, columns, rows, text }, place) => {
    const list = tableText(clock, place === 0 ? 'p' : 'e', columns, rows.length === 1, first);
    first += columns.length;
    return `${name ?? `w${place}`} as (${text(list)})`;
  });
  return `with ${parts.join(',\n')}\nselect session_id from gate`;
}

/** Appends to streams. Their shapes sort in the order in which the parts depend on each other. */
function streamWrites({ carried }: GroupedPlan, knownKeys: KnownKeys): GroupWrite[] {
  if (!carried) return [];
  return carriedParts(carried, knownKeys).map((part, place) => ({
    ...part,
    shape: `stream ${place} ${part.name}`,
    text: (list) => part.text(list, 'e.session_id = gate.session_id'),
  }));
}

function gateWrite(row: Readonly<Record<string, SqlParam>>): GroupWrite {
  const names = Object.keys(row);
  return {
    name: 'gate',
    shape: names.join(),
    columns: names.map((name) => ({ name, type: typeOf(name) })),
    rows: [Object.values(row)],
    text: (list) => gateText(names, list),
  };
}

const createdColumns = insertColumns(tables.sessions);

/** The key of the row decides who creates it: the second waits for the first, and then leaves no row. */
function createWrite(session: SessionRow, origin: number): GroupWrite {
  return {
    name: 'gate',
    shape: 'new session',
    columns: createdColumns.map((name) => ({ name, type: sessionType(name) })),
    rows: [encodeRow(tables.sessions, session, origin)],
    text: (
      list,
    ) => `insert into __agents_sessions (${createdColumns.join(', ')}) select p.* from ${list}
      on conflict (session_id) do nothing returning session_id`,
  };
}

function gateText(names: readonly string[], list: string): string {
  const changed = names.filter((name) => !name.startsWith(GUARD));
  const set = setSession(changed, (name) => `p.${name}`);
  const where = names.filter((name) => name.startsWith(GUARD)).map(condition);
  return `update __agents_sessions as t set ${set} from ${list}
    where ${['t.session_id = any(array[p.session_id])', ...where].join(' and ')} returning t.session_id`;
}

const GUARD = 'guard_';

/** What the plan requires of its session's row and what it sets there, with times relative to `origin`. */
function gateRow(plan: CommitPlan, origin: number): Readonly<Record<string, SqlParam>> {
  const [guard] = sessionGuards(plan) as [SessionGuard];
  const [update] = plan.sessions ?? [];
  const [interrupt] = plan.guard.interruptsAbsent ?? [];
  return {
    ...(update && sessionItem(update, plan, origin)),
    ...(guard.version !== undefined && { guard_version: guard.version }),
    ...(guard.epoch !== undefined && { guard_epoch: guard.epoch }),
    ...(guard.stepId !== undefined && { guard_step_id: guard.stepId }),
    ...(guard.records !== undefined && { guard_records: guard.records }),
    ...(guard.closed === false && { guard_closed: 0 }),
    ...(guard.status && { guard_status: guard.status.join() }),
    ...(guard.leaseExpired && { guard_free_at: plan.now - origin }),
    ...(interrupt && { guard_interrupted: interrupt.runId }),
  };
}

function typeOf(name: string): Type {
  if (!name.startsWith(GUARD)) return sessionType(name);
  if (name === 'guard_free_at') return 'time';
  return name === 'guard_status' || name === 'guard_interrupted' ? 'text' : 'bigint';
}

function condition(name: string): string {
  switch (name) {
    case 'guard_status':
      return `t.status = any(string_to_array(p.guard_status, ','))`;
    case 'guard_free_at':
      return '(t.lease_until is null or t.lease_until <= p.guard_free_at)';
    case 'guard_interrupted':
      return 't.interrupted_run is distinct from p.guard_interrupted';
  }
  return `(t.${name.slice(GUARD.length)} = p.${name}) is true`;
}
