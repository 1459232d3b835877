import type { Dialect } from './dialect.ts';

/** What a parameter may be; everything else is encoded before it gets here. */
export type SqlParam = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;
/** A row as its values, in the order of the select list. */
export type PlacedRow = readonly unknown[];

/** `params` bind `?1`, `?2` … in order. */
export interface Statement<Param = SqlParam> {
  readonly sql: string;
  readonly params: readonly Param[];
  /** Its rows are whole ones of a table: a driver may give each as a `PlacedRow` where that is cheaper. */
  readonly byPlace?: true;
}

/** A read among others that may be left out. */
export interface Read<Param = SqlParam> extends Statement<Param> {
  /** Says from what those before it gave whether it can give any row. A driver that does not look in between reads anyway. */
  readonly isNeeded?: (before: readonly (readonly SqlRow[])[]) => boolean;
}

export interface StatementResult {
  /** Rows inserted, updated or deleted; what it says for a statement that returns rows is not defined. */
  readonly changes: number;
  /** Rows of a `select` or `returning`, else none. */
  readonly rows: readonly SqlRow[];
}

/**
 * All that the SQL stores ask of a database. None of it is interactive, so D1 can carry it. Any text in a parameter comes back as
 * it was and is told from every other, half surrogate pairs and NUL included.
 */
export interface SqlDriver<Param = SqlParam> {
  readonly dialect: Dialect;
  /** Looks at what a statement did before it runs the next, and so can stop. */
  readonly canStop: boolean;
  /**
   * Runs all statements in order as one atomic write. A `relaxed` one survives the death of the process,
   * but may be lost with the power until the next write that is not relaxed. `writer` names the session or stream that it is
   * about: writes of several may wait for the disk together, each atomic by itself. With `stopAtMiss` a driver that can
   * stop does so after a first statement that changed nothing.
   */
  batch(
    statements: readonly Statement<Param>[],
    options?: {
      readonly relaxed?: boolean;
      readonly writer?: string;
      readonly stopAtMiss?: boolean;
    },
  ): Promise<readonly StatementResult[]>;
  /** Runs reads in order on one snapshot. One that is left out gives no rows. */
  readBatch(reads: readonly Read<Param>[]): Promise<readonly (readonly SqlRow[])[]>;
  all(statement: Statement<Param>): Promise<readonly SqlRow[]>;
  /** The error says that a unique or primary key is taken. */
  isUniqueViolation(error: unknown): boolean;
}
