import type { Dialect } from '../dialect.ts';
import { indexesOf } from './version-10.ts';

/** A human call shows the input as its tool's schema read it, and keeps the raw one beside it where the two differ. */
export function keepRawInput({ name }: Dialect): readonly string[] {
  return name === 'postgres' ? postgres : sqlite;
}

const postgres: readonly string[] = [
  `alter table __agents_open_calls add column if not exists raw_input text`,
];

/** Those that version 13 has. */
const columns = `root_id, tool_call_id, part, kind, unit_id, owner_session_id, owner_step_id, owner_index, route,
    owner_agent_type, tool_name, input, input_hash, approval_id, timeout_ms, deadline_at, remind_at, state, outcome,
    answer, answered_by, answered_at, settled_at, purge_at, retention_ms, user_id, opened_at`;

const create = (table: string): string => `create table if not exists ${table} (
    root_id text not null,
    tool_call_id text not null,
    part text not null,
    kind text not null,
    unit_id text not null,
    owner_session_id text not null,
    owner_step_id integer not null,
    owner_index integer not null,
    route text not null,
    owner_agent_type text not null,
    tool_name text not null,
    input text not null,
    raw_input text,
    input_hash text not null,
    approval_id text,
    timeout_ms integer,
    deadline_at integer,
    remind_at integer,
    state text not null,
    outcome text,
    answer text,
    answered_by text,
    answered_at integer,
    settled_at integer,
    purge_at integer,
    retention_ms integer not null,
    user_id text,
    opened_at integer not null,
    primary key (root_id, tool_call_id, part)
  )`;

const table = '__agents_open_calls';
const kept = `${table}_kept`;
const copy = (from: string, to: string): string =>
  `insert or ignore into ${to} (${columns}) select ${columns} from ${from}`;

/** SQLite adds no column twice, so the table is made again, as in version 13. */
const sqlite: readonly string[] = [
  create(kept),
  create(table),
  copy(table, kept),
  `drop table ${table}`,
  create(table),
  ...indexesOf(table),
  copy(kept, table),
  `drop table ${kept}`,
];
