import type { Dialect } from './dialect.ts';
import type { Statement } from './driver.ts';

/** SQLite, D1 and Durable Objects. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  howToMigrate: 'open it once without `migrate: false`, which migrates on first use',
  findTable: 'select name from sqlite_master where name = ?1',
  /** If this version or a later one is stored, it is inserted a second time, which violates the key and undoes the whole write. */
  migration: (version, statements) => [
    statement(
      'create table if not exists __agents_migrations (version integer not null primary key)',
    ),
    statement(
      `insert into __agents_migrations (version)
        select version from __agents_migrations where version >= ?1`,
      [version],
    ),
    ...statements.map((sql) => statement(sql)),
    statement('delete from __agents_migrations where version < ?1', [version]),
    statement(
      'insert into __agents_migrations (version) values (?1) on conflict (version) do nothing',
      [version],
    ),
  ],
  text: (value) => value,
  isOneOf: (column, list) => `${column} in (select value from json_each(${list}))`,
  contains: (column, text) => `instr(${column}, ${text})`,
  listHasAll: (column, list) => `not exists (
    select 1 from json_each(${list}) as f
    where f.value not in (select t.value from json_each(${column}) as t))`,
  // Independent of the order of keys.
  objectHasAll: (column, object) => `not exists (
    select 1 from json_each(${object}) as f
    left join json_each(${column}) as m on m.key = f.key
    where m.key is null or m.type <> f.type or m.atom is not f.atom
      or (f.type in ('object', 'array') and (
        exists (select fullkey, type, atom from json_tree(f.value)
          except select fullkey, type, atom from json_tree(m.value))
        or exists (select fullkey, type, atom from json_tree(m.value)
          except select fullkey, type, atom from json_tree(f.value)))))`,
  interruptedSession: (columns, where) =>
    `select ${columns} from __agents_sessions as s where ${where}`,
  forUpdate: '',
  writesInOneStatement: false,
  emptyWriteIsCheap: false,
  insertOrder: (alias) => `${alias}.rowid`,
  unindexed: (column) => `+${column}`,
  indexedBy: (index) => `indexed by ${index}`,
  leftFirstJoin: 'cross join',
};

function statement(sql: string, params: Statement['params'] = []): Statement {
  return { sql, params };
}
