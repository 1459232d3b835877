import type { CommitPlan, SessionGuard } from '@helix-agents/core/store';
import { nowParam, type SqlParam } from '@helix-agents/store-sql';
import { bigint, rowsAs, text, time, type Params, type TypedColumn } from './params.ts';

/** A part of the statement that locks rows, and a condition on them. */
export interface Lock {
  readonly part: string;
  readonly condition: string;
}

type Rows = readonly (readonly SqlParam[])[];

/**
 * Locks rows in the order of their key, so that two commits never deadlock. The condition is that the rows of `wanted` have its values;
 * null matches anything. `after` is the name of a part that must run first.
 */
function lockRows(
  params: Params,
  {
    alias,
    table,
    key,
    columns,
  }: Record<'alias' | 'table', string> & Record<'key' | 'columns', string[]>,
  rows: { readonly wanted: Rows; readonly updated: Rows },
  after?: string,
): Lock | null {
  const keys = [...rows.wanted.map((row) => row.slice(0, key.length)), ...rows.updated];
  if (keys.length === 0) return null;
  const names = key.join(', ');
  const first = after === undefined ? '' : ` and (select count(*) from ${after}) >= 0`;
  const part = `${alias} as materialized (select ${[...key, ...columns].join(', ')} from ${table}
    where (${names}) in (select * from ${rowsAs(params, 'k', key.map(text), keys)})${first}
    order by ${names} for update)`;
  // Postgres skips a part that is not read.
  if (rows.wanted.length === 0) return { part, condition: `(select count(*) from ${alias}) >= 0` };
  const same = key.map((name) => `l.${name} = w.${name}`);
  const asWanted = columns.map((name) => `(w.${name} is null or l.${name} = w.${name})`);
  const wanted = rowsAs(params, 'w', [...key, ...columns].map(text), rows.wanted);
  const condition = `not exists (select 1 from ${wanted} where not exists (
      select 1 from ${alias} as l where ${[...same, ...asWanted].join(' and ')}))`;
  return { part, condition };
}

export function lockCalls(params: Params, { guard, update }: CommitPlan): Lock | null {
  const wanted = [
    ...(guard.callsOpen ?? []).map((key) => ({ key, state: 'open', outcome: null })),
    ...(guard.calls ?? []),
  ].map(({ key, state, outcome }) => [key.rootId, key.toolCallId, key.part, state, outcome]);
  const updated = (update?.calls ?? []).map(({ key }) => [key.rootId, key.toolCallId, key.part]);
  const table = {
    alias: 'calls',
    table: '__agents_open_calls',
    key: ['root_id', 'tool_call_id', 'part'],
    columns: ['state', 'outcome'],
  };
  return lockRows(params, table, { wanted, updated });
}

export function lockReferences(
  params: Params,
  { guard, update }: CommitPlan,
  after?: string,
): Lock | null {
  const wanted = (guard.references ?? []).map((reference) => [
    reference.sessionId,
    reference.subSessionId,
    reference.state,
  ]);
  const updated = (update?.references ?? []).map((reference) => [
    reference.sessionId,
    reference.subSessionId,
  ]);
  const table = {
    alias: 'refs',
    table: '__agents_sub_session_refs',
    key: ['session_id', 'sub_session_id'],
    columns: ['state'],
  };
  return lockRows(params, table, { wanted, updated }, after);
}

/**
 * Conditions that rows are absent. Absent rows cannot be locked, but an insert also writes the session row. Interrupts of the session
 * `noted` are left out: its row says whether one is pending.
 */
export function absences(params: Params, { guard }: CommitPlan, noted?: string): string[] {
  const absent = (table: string, columns: readonly TypedColumn[], rows: Rows): string[] => {
    if (rows.length === 0) return [];
    const same = columns.map(({ name }) => `t.${name} = w.${name}`).join(' and ');
    const list = rowsAs(params, 'w', columns, rows);
    return [`not exists (select 1 from ${list} join ${table} as t on ${same})`];
  };
  return [
    ...absent(
      '__agents_journal',
      [text('session_id'), bigint('step_id'), bigint('call_index'), text('kind')],
      (guard.journalAbsent ?? []).map((row) => [row.sessionId, row.stepId, row.index, row.kind]),
    ),
    ...absent(
      '__agents_interrupt_flags',
      [text('session_id'), text('run_id')],
      (guard.interruptsAbsent ?? [])
        .filter(({ sessionId }) => sessionId !== noted)
        .map((row) => [row.sessionId, row.runId]),
    ),
    ...absent(
      '__agents_sessions',
      [text('session_id')],
      (guard.sessions ?? []).filter((row) => row.absent).map((row) => [row.sessionId]),
    ),
  ];
}

/** Conditions that an interrupt waits. An interrupt that is inserted or deleted also writes its session row. */
export function presences(params: Params, { guard }: CommitPlan): string[] {
  const rows = (guard.interruptsPresent ?? []).map((row) => [
    row.sessionId,
    row.runId,
    row.scope ?? null,
  ]);
  if (rows.length === 0) return [];
  const wanted = rowsAs(params, 'w', [text('session_id'), text('run_id'), text('scope')], rows);
  return [
    `not exists (select 1 from ${wanted} where not exists (
      select 1 from __agents_interrupt_flags as i where i.session_id = w.session_id
        and i.run_id = w.run_id and (w.scope is null or i.scope = w.scope)))`,
  ];
}

/** The conditions of a guard on the session row `t`. */
export function sessionConditions(params: Params, guard: SessionGuard, now: number): string[] {
  const equal = (column: string, value: number | undefined): string[] =>
    value === undefined ? [] : [`t.${column} = ${params.add(value, 'bigint')}`];
  return [
    ...equal('version', guard.version),
    ...equal('epoch', guard.epoch),
    ...equal('step_id', guard.stepId),
    ...equal('records', guard.records),
    ...(guard.closed === false ? ['t.closed = 0'] : []),
    ...(guard.status ? [`t.status = any(${params.add(guard.status, 'text[]')})`] : []),
    ...(guard.leaseExpired
      ? [
          `(t.lease_until is null or t.lease_until <= ${params.add(nowParam(params.clock, now), 'time')})`,
        ]
      : []),
  ];
}

const GUARDED: readonly TypedColumn[] = [
  text('session_id'),
  bigint('version'),
  bigint('epoch'),
  bigint('step_id'),
  bigint('records'),
  text('status'),
  bigint('closed'),
  time('free_at'),
];

/** The condition of all guards on the locked session rows `held`: each exists and matches its guard. */
export function heldCondition(
  params: Params,
  guards: readonly SessionGuard[],
  now: number,
): string {
  const rows = guards.map((guard) => [
    guard.sessionId,
    guard.version ?? null,
    guard.epoch ?? null,
    guard.stepId ?? null,
    guard.records ?? null,
    guard.status?.join() ?? null,
    guard.closed === false ? 0 : null,
    guard.leaseExpired ? nowParam(params.clock, now) : null,
  ]);
  const equal = ['version', 'epoch', 'step_id', 'records', 'closed'].map(
    (name) => `(w.${name} is null or h.${name} = w.${name})`,
  );
  return `not exists (select 1 from ${rowsAs(params, 'w', GUARDED, rows)}
    where not exists (select 1 from held as h where h.session_id = w.session_id
      and ${equal.join(' and ')}
      and (w.status is null or h.status = any(string_to_array(w.status, ',')))
      and (w.free_at is null or h.lease_until is null or h.lease_until <= w.free_at)))`;
}
