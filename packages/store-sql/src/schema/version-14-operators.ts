import type { Dialect } from '../dialect.ts';
import { statesView } from './states-view.ts';
import { indexesOf } from './version-10.ts';
import { createSessions } from './version-13.ts';

/**
 * For operators' queries: a child reference has the status of the child and the place of a remote one, an interrupt says that it is
 * one, and the view shows what human calls and suspensions are now.
 */
export function showToOperators(dialect: Dialect): readonly string[] {
  const view = statesView(dialect);
  if (dialect.name === 'postgres') return [...postgres, view];
  return [...sqlite, 'drop view if exists __agents_states', view];
}

/** How the child of a reference ended: its own session says so, where it is in this database. */
const statusOf = (reference: string): string => `case
      when ${reference}.state = 'live' then 'active'
      else coalesce((select s.status from __agents_sessions as s
        where s.session_id = ${reference}.sub_session_id and s.status in ('completed', 'failed')), 'failed')
    end`;

const postgres: readonly string[] = [
  `alter table __agents_sub_session_refs
    add column if not exists status text collate "C", add column if not exists remote_json text`,
  `update __agents_sub_session_refs as r set status = ${statusOf('r')} where status is null`,
  `alter table __agents_sub_session_refs alter column status set not null`,
  `alter table __agents_interrupt_flags
    add column if not exists interrupted integer not null default 1`,
];

const referenceColumns = `session_id, sub_session_id, agent_type, parent_tool_call_id, step_id, call_index, state,
    continuation, mode, name, close_reason, started_at, completed_at`;

const createReferences = (table: string): string => `create table if not exists ${table} (
    session_id text not null,
    sub_session_id text not null,
    agent_type text not null,
    parent_tool_call_id text not null,
    step_id integer not null,
    call_index integer not null,
    state text not null,
    continuation integer not null,
    status text not null,
    remote_json text,
    mode text not null,
    name text,
    close_reason text,
    started_at integer not null,
    completed_at integer,
    primary key (session_id, sub_session_id)
  )`;

const interruptColumns = 'session_id, run_id, reason, timestamp';

const createInterrupts = (table: string): string => `create table if not exists ${table} (
    session_id text not null,
    run_id text not null,
    interrupted integer not null default 1,
    reason text,
    timestamp integer not null,
    primary key (session_id, run_id)
  ) without rowid`;

const references = '__agents_sub_session_refs';
const interrupts = '__agents_interrupt_flags';

/** SQLite adds no column twice, so the tables are made again, as in version 13. */
const sqlite: readonly string[] = [
  createSessions('__agents_sessions'),
  createReferences(`${references}_kept`),
  createReferences(references),
  `insert or ignore into ${references}_kept (${referenceColumns}, status)
    select ${referenceColumns}, ${statusOf('r')} from ${references} as r`,
  `drop table ${references}`,
  createReferences(references),
  ...indexesOf(references),
  `insert or ignore into ${references} (${referenceColumns}, status)
    select ${referenceColumns}, status from ${references}_kept`,
  `drop table ${references}_kept`,
  createInterrupts(`${interrupts}_kept`),
  createInterrupts(interrupts),
  `insert or ignore into ${interrupts}_kept (${interruptColumns}) select ${interruptColumns} from ${interrupts}`,
  `drop table ${interrupts}`,
  createInterrupts(interrupts),
  `insert or ignore into ${interrupts} (${interruptColumns}) select ${interruptColumns} from ${interrupts}_kept`,
  `drop table ${interrupts}_kept`,
];
