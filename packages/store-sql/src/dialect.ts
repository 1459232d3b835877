import type { Statement } from './driver.ts';

/** Where the SQL of two databases differs. All else is written once, with `?1`, `?2` … for parameters. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Gives a row if the table `?1` exists. */
  readonly findTable: string;
  /**
   * Schema statements and the note of their version, the only one there is then, as one atomic write that other
   * processes may make at the same moment. Where this version or a later one is noted it writes nothing, and may say so
   * as a violation of a unique key. The statements are written in the words of SQLite.
   */
  migration(version: number, statements: readonly string[]): readonly Statement[];
  /** A value as a text of the same collation as the columns. */
  text(value: string): string;
  /** The column is one of a JSON list of texts. */
  isOneOf(column: string, list: string): string;
  /** A text in a column has this one in it. */
  contains(column: string, text: string): string;
  /** A JSON list of texts in a column has all of another list. */
  listHasAll(column: string, list: string): string;
  /** A JSON object in a column has every entry of another, compared as data. */
  objectHasAll(column: string, object: string): string;
  /** A query for the session row that fits, of which it notes that an interrupt waits for its run. */
  interruptedSession(columns: string, where: string): string;
  /** Ends a query whose rows nobody else may change until the write is done, and which the write may delete. */
  readonly forUpdate: string;
  /** Takes writes as parts of a `with`, all on one snapshot. Then each write is one statement. */
  readonly writesInOneStatement: boolean;
  /** A write that finds nothing to change costs no more than a look. */
  readonly emptyWriteIsCheap: boolean;
  /** Orders the rows of a table, by its alias, as they were inserted. */
  insertOrder(alias: string): string;
  /** A column that the planner must not look for an index on. */
  unindexed(column: string): string;
  /** Names the index to use. */
  indexedBy(index: string): string;
  /** A join that begins at its left side. */
  readonly leftFirstJoin: string;
}
