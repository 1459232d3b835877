import type { Dialect } from '../dialect.ts';

/**
 * Usage entries are found by their session: one index instead of three, so that a step writes to fewer pages. Frozen: a later change
 * is a later version. Each statement can run again.
 */
export function version11({ name }: Dialect): readonly string[] {
  return name === 'postgres' ? postgres : sqlite;
}

const columns = `id, session_id, root_id, run_id, step_count, kind, source_type, source_name, data, timestamp`;

const createUsage = (table: string): string => `create table if not exists ${table} (
    id text not null,
    session_id text not null,
    root_id text not null,
    run_id text not null,
    step_count integer not null,
    kind text not null,
    source_type text not null,
    source_name text not null,
    data text not null,
    timestamp integer not null,
    unique (session_id, id)
  )`;

const copyUsage = (from: string, to: string): string =>
  `insert or ignore into ${to} (${columns}) select ${columns} from ${from} order by rowid`;

/** Without the entries of the root's own session, which are found by session. */
const createByRoot = `create index if not exists __agents_usage_by_root
    on __agents_usage (root_id) where root_id <> session_id`;

/**
 * SQLite cannot drop a primary key, so the table is created again and its rows are copied by way of another table. It is not renamed,
 * because views that a user made of it would follow the rename.
 */
const sqlite: readonly string[] = [
  createUsage('__agents_usage_kept'),
  createUsage('__agents_usage'),
  copyUsage('__agents_usage', '__agents_usage_kept'),
  `drop table __agents_usage`,
  createUsage('__agents_usage'),
  createByRoot,
  copyUsage('__agents_usage_kept', '__agents_usage'),
  `drop table __agents_usage_kept`,
];

const postgres: readonly string[] = [
  `drop index if exists __agents_usage_by_root`,
  createByRoot,
  // Room in each page, so that an update stays there and does not touch the indexes (HOT).
  `alter table __agents_sessions set (fillfactor = 70)`,
  `alter table __agents_streams set (fillfactor = 70)`,
];
