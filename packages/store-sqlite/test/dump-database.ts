import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

/** Schema and rows as statements that make the same database again. */
export function dumpDatabase(database: DatabaseSync): string {
  const schema = database
    .prepare(`select type, name, sql from sqlite_master where sql is not null order by rowid`)
    .all();
  const rows = schema
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => dumpTable(database, String(name)));
  return [...schema.map(({ sql }) => `${String(sql)};`), ...rows, ''].join('\n');
}

function dumpTable(database: DatabaseSync, table: string): string[] {
  return database
    .prepare(`select * from ${table}`)
    .all()
    .map((row) => {
      const values = Object.values(row).map((value) => literal(value));
      return `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')});`;
    });
}

function literal(value: SQLOutputValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return String(value as number | bigint);
}
