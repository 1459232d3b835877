import { createPgAdapter, type PgAdapterOptions } from './adapter.ts';
import type { PgClient } from './pg-client.ts';
import { PostgresLockManager } from './postgres-lock-manager.ts';
import { PostgresMigrations } from './postgres-migrations.ts';
import { PostgresStateStore } from './postgres-state-store.ts';
import { PostgresStreamManager, type PostgresStreamOptions } from './postgres-stream-manager.ts';
import { PostgresUsageStore } from './postgres-usage-store.ts';

export interface Postgres {
  readonly stateStore: PostgresStateStore;
  readonly streamManager: PostgresStreamManager;
  readonly usageStore: PostgresUsageStore;
  readonly lockManager: PostgresLockManager;
  readonly migrations: PostgresMigrations;
  /** Ends all readers and releases the listening connection. The pool stays open: the caller ends it. */
  readonly close: () => void;
}

/**
 * Everything an executor stores, in one database and over one client.
 *
 * @example
 * const pool = new pg.Pool({ connectionString });
 * pool.on('error', console.error);
 * const { stateStore, streamManager, close } = openPostgres(pool, { listen: pool });
 */
export function openPostgres(
  client: PgClient,
  options: PgAdapterOptions & PostgresStreamOptions = {},
): Postgres {
  const adapter = createPgAdapter(client, options);
  const streamManager = new PostgresStreamManager(adapter, options);
  return {
    stateStore: new PostgresStateStore(adapter),
    streamManager,
    usageStore: new PostgresUsageStore(adapter),
    lockManager: new PostgresLockManager(adapter),
    migrations: new PostgresMigrations(adapter),
    close: () => streamManager.close(),
  };
}
