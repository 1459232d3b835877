/** What is used of a D1 database: the binding itself, or a session of it. */
export interface D1Like {
  prepare(sql: string): D1StatementLike;
  batch(statements: D1StatementLike[]): Promise<readonly D1ResultLike[]>;
}

export interface D1StatementLike {
  bind(...values: unknown[]): D1StatementLike;
  all(): Promise<D1ResultLike>;
}

export interface D1ResultLike {
  readonly results: readonly unknown[];
  readonly meta: Readonly<Record<string, unknown>>;
}
