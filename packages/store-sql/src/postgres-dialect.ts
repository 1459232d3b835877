import type { Dialect } from './dialect.ts';

export const postgresDialect: Dialect = {
  name: 'postgres',
  howToMigrate:
    'run `await openPostgres(pool).migrations.run()` at deploy, or open the store without `migrate: false`',
  findTable: 'select 1 as found where to_regclass(?1) is not null',
  /**
   * One block, so one transaction on any pooler. The second process waits for the lock and finds the version stored. If several create
   * the first table at once, all but one get one of three errors, which are ignored because the table then exists.
   */
  migration: (version, statements) => [
    {
      sql: `do $migration$ begin
  begin create table if not exists __agents_migrations (version bigint not null primary key); exception
    when unique_violation or duplicate_table or duplicate_object then null; end;
  lock table __agents_migrations in share row exclusive mode;
  if exists (select 1 from __agents_migrations where version >= ${version}) then return; end if;
  ${statements.map((sql) => `${define(sql)};`).join('\n  ')}
  delete from __agents_migrations where version < ${version};
  insert into __agents_migrations (version) values (${version});
end $migration$`,
      params: [],
    },
  ],
  text: (value) => `${value}::text collate "C"`,
  isOneOf: (column, list) => `${column} in (select jsonb_array_elements_text(${list}::jsonb))`,
  contains: (column, text) => `strpos(${column}, ${text}) > 0`,
  listHasAll: (column, list) => `${column}::jsonb @> ${list}::jsonb`,
  objectHasAll: (column, object) => `not exists (
    select 1 from jsonb_each(${object}::jsonb) as f
    where ${column}::jsonb -> f.key is distinct from f.value)`,
  // A commit that waits for the row lock sees this column, but not yet the row of the interrupt.
  interruptedSession: (columns, where) =>
    `update __agents_sessions as s set interrupted_run = s.run_id where ${where} returning ${columns}`,
  forUpdate: ' for update',
  writesInOneStatement: true,
  emptyWriteIsCheap: true,
  insertOrder: (alias) => `${alias}.ctid`,
  unindexed: (column) => column,
  indexedBy: () => '',
  leftFirstJoin: 'join',
};

/** Translates the column types of a new table. Texts compare byte by byte, as in SQLite and whatever the database's locale. */
function define(sql: string): string {
  if (!sql.startsWith('create table')) return sql;
  return sql
    .replace(/\binteger primary key\b/g, 'bigint generated always as identity')
    .replace(/\binteger\b/g, 'bigint')
    .replace(/\btext\b/g, 'text collate "C"')
    .replace(/\) without rowid$/, ')');
}
