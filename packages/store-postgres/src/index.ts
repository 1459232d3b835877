export { createPgAdapter, type PgAdapterOptions, type PostgresAdapter } from './adapter.ts';
export { openPostgres, type Postgres } from './open-postgres.ts';
export type { PgClient, PgResult } from './pg-client.ts';
export { PostgresLockManager } from './postgres-lock-manager.ts';
export { PostgresMigrations } from './postgres-migrations.ts';
export { PostgresStateStore } from './postgres-state-store.ts';
export { PostgresStreamManager, type PostgresStreamOptions } from './postgres-stream-manager.ts';
export { PostgresUsageStore } from './postgres-usage-store.ts';
export type { PgListenClient, PgListenPool } from './stream-hints.ts';
