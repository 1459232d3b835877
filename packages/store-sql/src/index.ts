export { callerClock, nowParam, POSTGRES_NOW, postgresClock, type SqlClock } from './clock.ts';
export { renderBatch } from './commit/render-batch.ts';
export { sessionGuards } from './commit/guard.ts';
export type { Dialect } from './dialect.ts';
export type {
  PlacedRow,
  Read,
  SqlDriver,
  SqlParam,
  SqlRow,
  Statement,
  StatementResult,
} from './driver.ts';
export {
  assertSchema,
  readSchemaVersion,
  runMigrations,
  SCHEMA_VERSION,
  withSchema,
} from './schema/migrations.ts';
export { postgresDialect } from './postgres-dialect.ts';
export {
  columnsOf,
  encodeFields,
  encodeRow,
  insertColumns,
  type Column,
  type Columns,
  type Table,
} from './rows/column.ts';
export * as tables from './rows/tables.ts';
export { createSqlSessionStore, type SqlSessionStoreOptions } from './session/session-store.ts';
export { sqliteDialect } from './sqlite-dialect.ts';
export { decodeText, encodeText, isPlain } from './sqlite-text.ts';
export { StoreBusyError } from './store-busy-error.ts';
export { createLocalNotifier, type StreamNotifier } from './stream/notifier.ts';
export {
  createSqlStreamStore,
  SqlStreamStore,
  type SqlStreamStoreOptions,
} from './stream/stream-store.ts';
export { createSqlUsageStore } from './usage-store.ts';
export { closedColumns } from './stream/status-statements.ts';
export { firstOfEachKey } from './stream/first-of-each-key.ts';
export type { AppendWrite, StreamWrites } from './stream/stream-writes.ts';
