import { runMigrations } from '@helix-agents/store-sql';
import type { PostgresAdapter } from './adapter.ts';

/** Migrates the schema at deploy, for stores that are opened with `migrate: false`. */
export class PostgresMigrations {
  readonly #adapter: PostgresAdapter;

  constructor(adapter: PostgresAdapter) {
    this.#adapter = adapter;
  }

  /** Any number of processes may do so at once, and each may die at any point. */
  run(): Promise<{ readonly current: number }> {
    return runMigrations(this.#adapter.bareDriver);
  }
}
