import type { Statement } from './driver.ts';

/** Where the SQL of databases differs. All else is written once, with `?1`, `?2` … for parameters. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** What an application does to migrate a database, for messages. */
  readonly howToMigrate: string;
  /** Gives a row if the table `?1` exists. */
  readonly findTable: string;
  /**
   * Schema statements and their version, which replaces the stored one, as one atomic write that several processes may make at once.
   * If this version or a later one is stored it writes nothing, and may fail with a violation of a unique key. The statements are in
   * SQL of SQLite.
   */
  migration(version: number, statements: readonly string[]): readonly Statement[];
  /** A value as text with the collation of the columns. */
  text(value: string): string;
  /** The column is one of a JSON list of texts. */
  isOneOf(column: string, list: string): string;
  /** The text in a column contains this one. */
  contains(column: string, text: string): string;
  /** The JSON list in a column has all texts of another list. */
  listHasAll(column: string, list: string): string;
  /** The JSON object in a column has every entry of another, compared by value. */
  objectHasAll(column: string, object: string): string;
  /** A query for the matching session row, which also marks the row as interrupted where commits need that. */
  interruptedSession(columns: string, where: string): string;
  /** Appended to a query whose rows are locked until the write is done. */
  readonly forUpdate: string;
  /** Writes can be parts of a `with`, all on one snapshot: each write is then one statement. */
  readonly writesInOneStatement: boolean;
  /** A write that changes no row costs no more than a read. */
  readonly emptyWriteIsCheap: boolean;
  /** Orders the rows of a table, by its alias, in insertion order. */
  insertOrder(alias: string): string;
  /** A column for which the planner must not use an index. */
  unindexed(column: string): string;
  /** Names the index to use. */
  indexedBy(index: string): string;
  /** A join that starts at its left side. */
  readonly leftFirstJoin: string;
}
