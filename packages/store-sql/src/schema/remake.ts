import { indexesOf } from './version-10.ts';

export interface Remake {
  readonly table: string;
  /** One definition of a column per line, all columns of the new form. */
  readonly columns: string;
  /** The new columns, with what rows get that are there. */
  readonly added: Readonly<Record<string, string>>;
  /** What follows the columns. */
  readonly key?: string;
  readonly suffix?: string;
}

/**
 * SQLite adds no column twice, so a table with new columns is made again, and its rows wait in another one meanwhile. Each statement may
 * run again, on either form of the table, also after those of earlier versions, which is why the other table has a name of its own.
 */
export function remake({ table, columns, added, key, suffix = '' }: Remake): readonly string[] {
  const kept = `${table}_kept_15`;
  const lines = columns
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const create = (name: string): string =>
    `create table if not exists ${name} (\n    ${[...lines, ...(key === undefined ? [] : [key])].join(',\n    ')}\n  )${suffix}`;
  const all = lines.map((line) => line.split(' ')[0] as string).join(', ');
  const old = all
    .split(', ')
    .filter((name) => !(name in added))
    .join(', ');
  const names = Object.keys(added).join(', ');
  return [
    create(kept),
    create(table),
    `insert or ignore into ${kept} (${old}, ${names})
    select ${old}, ${Object.values(added).join(', ')} from ${table}`,
    `drop table ${table}`,
    create(table),
    ...indexesOf(table),
    `insert or ignore into ${table} (${all}) select ${all} from ${kept}`,
    `drop table ${kept}`,
  ];
}
