import type { Dialect } from '../dialect.ts';

/**
 * Postgres only: usage entries are unique in their session and found by that key, as on SQLite since version 11; their data is of type
 * JSON. Frozen: a later change is a later version. Each statement can run again.
 */
export function version12({ name }: Dialect): readonly string[] {
  return name === 'postgres' ? postgres : [];
}

const isText = `exists (select 1 from pg_attribute where attrelid = '__agents_usage'::regclass
    and attname = 'data' and atttypid = 'text'::regtype)`;

const postgres: readonly string[] = [
  `alter table __agents_usage drop constraint if exists __agents_usage_pkey`,
  `alter table __agents_usage add constraint __agents_usage_pkey primary key (session_id, id)`,
  `drop index if exists __agents_usage_by_session`,
  `if ${isText} then
    alter table __agents_usage alter column data type json using data::json; end if`,
];
