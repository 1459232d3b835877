import type { CommitPlan, SessionGuard } from '@helix-agents/core';
import type { SqlClock } from '../clock.ts';
import type { SqlParam, Statement } from '../driver.ts';
import { sessionGuards } from './guard.ts';
import { needsFreshSnapshot } from './render-statement.ts';
import { carriedWrites } from './statement/carried-writes.ts';
import { groupWrites, type GroupWrite } from './statement/group-writes.ts';
import { tableText, tableValues, type ListParam, type Type } from './statement/params.ts';
import { sessionItem, sessionType, setSession } from './statement/session-items.ts';

/** Commits of different sessions as one statement. */
export interface GroupRenderer {
  /**
   * A plan that can leave together with those that have the same key; null for one that has to leave alone: about several
   * sessions, about calls or references, or about rows that cannot be locked.
   */
  prepare(plan: CommitPlan): GroupedPlan | null;
  /**
   * The rows of the statement are the sessions whose plan was applied. Each plan stands for itself: one that misses keeps no
   * other from being applied. A key that is taken fails them all. All plans have the same key, and each a session of its own.
   */
  render(plans: readonly GroupedPlan[]): Statement<ListParam>;
}

export interface GroupedPlan {
  readonly key: string;
  readonly sessionId: string;
  /** As they were when it was handed in; the first is the gate. */
  readonly writes: readonly GroupWrite[];
}

/**
 * Rows are found by their key alone: a plan that Postgres made while there were few sessions is kept, and must not be one
 * that reads them all. So nothing here can be joined by hash.
 *
 * A text is made once for each kind of commit, of which the engine has few.
 */
export function createGroupRenderer(clock: SqlClock): GroupRenderer {
  const texts = new Map<string, string>();
  return {
    prepare(plan) {
      const sessionId = onlySession(plan);
      if (sessionId === null) return null;
      const origin = clock.originOf(plan.now);
      const gate = gateWrite(gateRow(plan, origin));
      const writes = [gate, ...groupWrites(plan, origin), ...carried(plan, sessionId)];
      return { key: gate.shape, sessionId, writes };
    },
    render(plans) {
      const writes = together(plans);
      const shape = writes.map((one) => `${one.shape}${one.rows.length === 1 ? '' : '*'}`).join();
      const sql = texts.get(shape) ?? statementText(clock, writes);
      texts.set(shape, sql);
      return { sql, params: writes.flatMap(({ columns, rows }) => tableValues(columns, rows)) };
    },
  };
}

/** One write of each shape: the gate, and the others in one order whichever plan has them. */
function together(plans: readonly GroupedPlan[]): readonly GroupWrite[] {
  const writes = plans.flatMap((plan) => plan.writes);
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

/** In the order of their shapes, which is that in which they look at each other. */
function carried(plan: CommitPlan, sessionId: string): GroupWrite[] {
  return carriedWrites(plan, sessionId).map((part, place) => ({
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

function gateText(names: readonly string[], list: string): string {
  const changed = names.filter((name) => !name.startsWith(GUARD));
  const set = setSession(changed, (name) => `p.${name}`);
  const where = names.filter((name) => name.startsWith(GUARD)).map(condition);
  return `update __agents_sessions as t set ${set} from ${list}
    where ${['t.session_id = any(array[p.session_id])', ...where].join(' and ')} returning t.session_id`;
}

/** The one session that a plan is about, if it is about nothing else and waits for no row that cannot be locked. */
function onlySession(plan: CommitPlan): string | null {
  const [guard, ...others] = sessionGuards(plan);
  const [update, ...more] = plan.sessions ?? [];
  if (!guard || !update || others.length + more.length > 0 || guard.absent) return null;
  const { callsOpen = [], calls = [], references = [], interruptsAbsent = [] } = plan.guard;
  if (callsOpen.length + calls.length + references.length > 0) return null;
  const { sessionId } = guard;
  const ownInterrupts = interruptsAbsent.every((one) => one.sessionId === sessionId);
  if (!ownInterrupts || interruptsAbsent.length > 1) return null;
  if (needsFreshSnapshot(plan, sessionId) || !isAllOf(sessionId, plan)) return null;
  return sessionId;
}

/** Every row that is written belongs to the session. */
function isAllOf(sessionId: string, { insert = {}, update = {} }: CommitPlan): boolean {
  const { messages = [], journal = [], checkpoints = [], runs = [], usage = [] } = insert;
  const own = [messages, journal, checkpoints, runs, usage].every((rows) =>
    rows.every((row) => row.sessionId === sessionId),
  );
  const others = [
    insert.sessions,
    insert.calls,
    insert.references,
    update.calls,
    update.references,
  ];
  return own && others.every((rows) => rows === undefined || rows.length === 0);
}

const GUARD = 'guard_';

/** What the plan asks of its session's row, and what it sets there, times counted from `origin`. */
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
