import type { Dialect } from '../dialect.ts';
import { remake } from './remake.ts';
import {
  callColumns,
  interruptColumns,
  referenceColumns,
  sessionColumns,
} from './version-15-columns.ts';

/**
 * Units: companions have runs of their own below a root, and inputs wait for them. Frozen: a later change is a later version. Each
 * statement may run again.
 */
export function version15({ name }: Dialect): readonly string[] {
  return [...(name === 'postgres' ? postgres : sqlite), ...inputs, ...indexes];
}

const postgres: readonly string[] = [
  `alter table __agents_sessions add column if not exists ends bigint not null default 0,
    add column if not exists reported bigint, add column if not exists wake_at bigint,
    add column if not exists stop text collate "C"`,
  `alter table __agents_open_calls add column if not exists submission_id text collate "C",
    add column if not exists remote text collate "C"`,
  `alter table __agents_sub_session_refs add column if not exists generation bigint not null default 1,
    add column if not exists started bigint not null default 0,
    add column if not exists told bigint not null default 0,
    add column if not exists asked bigint not null default 0,
    add column if not exists wake bigint not null default 0,
    add column if not exists closing_step bigint, add column if not exists closing_at bigint`,
  `alter table __agents_interrupt_flags
    add column if not exists scope text collate "C" not null default 'tree'`,
];

const sqlite: readonly string[] = [
  ...remake({
    table: '__agents_sessions',
    columns: sessionColumns,
    added: { ends: '0', reported: 'null', wake_at: 'null', stop: 'null' },
  }),
  ...remake({
    table: '__agents_open_calls',
    columns: callColumns,
    key: 'primary key (root_id, tool_call_id, part)',
    added: { submission_id: 'null', remote: 'null' },
  }),
  ...remake({
    table: '__agents_sub_session_refs',
    columns: referenceColumns,
    key: 'primary key (session_id, sub_session_id)',
    added: {
      generation: '1',
      started: '0',
      told: '0',
      asked: '0',
      wake: '0',
      closing_step: 'null',
      closing_at: 'null',
    },
  }),
  ...remake({
    table: '__agents_interrupt_flags',
    columns: interruptColumns,
    key: 'primary key (session_id, run_id)',
    added: { scope: `'tree'` },
    suffix: ' without rowid',
  }),
];

const inputs: readonly string[] = [
  `create table if not exists __agents_inputs (
    root_id text not null,
    session_id text not null,
    input_id text not null,
    kind text not null,
    seq integer not null,
    sender text,
    content text not null,
    end_number integer not null,
    wake integer not null,
    state text not null,
    created_at integer not null,
    settled_at integer,
    purge_at integer,
    primary key (session_id, input_id)
  )`,
];

/** None of them has an entry of a session without companions and waiting messages. */
const indexes: readonly string[] = [
  `create index if not exists __agents_sessions_wake
    on __agents_sessions (wake_at) where wake_at is not null`,
  `create index if not exists __agents_sessions_unreported
    on __agents_sessions (updated_at) where reported < ends`,
  `create index if not exists __agents_inputs_waiting
    on __agents_inputs (session_id, seq) where state = 'waiting'`,
  `create index if not exists __agents_inputs_purge
    on __agents_inputs (purge_at) where purge_at is not null`,
];
