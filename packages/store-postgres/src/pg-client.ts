/** What the stores need of a client: a `pg` Pool or Client, Neon's, or anything with the same `query`. */
export interface PgClient {
  query(text: string, values: unknown[]): Promise<PgResult>;
}

export interface PgResult {
  readonly rows: readonly unknown[];
  readonly rowCount?: number | null;
}

/** A client that also takes named statements: those of `pg` and Neon do. */
export interface NamingPgClient extends PgClient {
  query(text: string, values: unknown[]): Promise<PgResult>;
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<PgResult>;
}
