export type { SqliteOptions, SqliteSource } from './connection.ts';
export { openSqlite, type Sqlite } from './open-sqlite.ts';
export { SqliteStateStore } from './sqlite-state-store.ts';
export { SqliteStreamManager } from './sqlite-stream-manager.ts';
export { SqliteUsageStore } from './sqlite-usage-store.ts';
