export { createPgAdapter, type PgAdapterOptions, type PostgresAdapter } from './adapter.ts';
export type { PgClient, PgResult } from './pg-client.ts';
export { PostgresMigrations } from './postgres-migrations.ts';
export { PostgresStateStore } from './postgres-state-store.ts';
export { PostgresStreamManager, type PostgresStreamOptions } from './postgres-stream-manager.ts';
export { PostgresUsageStore } from './postgres-usage-store.ts';
