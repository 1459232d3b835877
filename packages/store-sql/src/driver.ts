import type { Dialect } from './dialect.ts';

/** All that a parameter can be; other values are encoded first. */
export type SqlParam = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;
/** A row as its values, in the order of the select list. */
export type PlacedRow = readonly unknown[];

/** `params` bind `?1`, `?2` … in order. */
export interface Statement<Param = SqlParam> {
  readonly sql: string;
  readonly params: readonly Param[];
  /** It selects all columns of a table in order: a driver may give each row as a `PlacedRow` if that is cheaper. */
  readonly byPlace?: true;
}

/** A read of a batch that may be skipped. */
export interface Read<Param = SqlParam> extends Statement<Param> {
  /** From the results before it: false if it cannot give any row. Drivers that send all reads at once ignore it. */
  readonly isNeeded?: (before: readonly (readonly SqlRow[])[]) => boolean;
}

export interface StatementResult {
  /** Rows inserted, updated or deleted; undefined for a statement that returns rows. */
  readonly changes: number;
  /** Rows of a `select` or `returning`, else none. */
  readonly rows: readonly SqlRow[];
}

/**
 * All that the SQL stores need of a database. Nothing is interactive, so that D1 can implement it. Any text in a parameter is returned
 * unchanged and differs from every other, also with lone surrogates and NUL.
 */
export interface SqlDriver<Param = SqlParam> {
  readonly dialect: Dialect;
  /** Runs the statements of a batch one by one, and can stop after the first. */
  readonly canStop: boolean;
  /**
   * Runs all statements in order as one atomic write. A `relaxed` write survives the death of the process, but a power loss may take
   * it until the next write that is not relaxed. `writer` is the session or stream it writes to: writes of several may share
   * an fsync, each atomic by itself. With `stopAtMiss` a driver that can stop does so if the first statement changes no row.
   */
  batch(
    statements: readonly Statement<Param>[],
    options?: {
      readonly relaxed?: boolean;
      readonly writer?: string;
      readonly stopAtMiss?: boolean;
    },
  ): Promise<readonly StatementResult[]>;
  /** Runs reads in order on one snapshot. A skipped read gives no rows. */
  readBatch(reads: readonly Read<Param>[]): Promise<readonly (readonly SqlRow[])[]>;
  all(statement: Statement<Param>): Promise<readonly SqlRow[]>;
  /** The error says that a unique or primary key is taken. */
  isUniqueViolation(error: unknown): boolean;
}
