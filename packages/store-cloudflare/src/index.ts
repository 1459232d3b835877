export {
  D1StateError,
  D1StateStore,
  D1StreamManager,
  D1UsageStore,
  runMigration,
  ValueTooLargeError,
  type D1Like,
  type D1Options,
  type D1ResultLike,
  type D1Retries,
  type D1StatementLike,
  type D1StreamOptions,
} from './d1.ts';
export { DOStateStore } from './do-state-store.ts';
export { DOStreamManager, type DOStreamOptions } from './do-stream-manager.ts';
export { DOUsageStore } from './do-usage-store.ts';
export type { ObjectStoreOptions } from './object-connection.ts';
export type {
  ObjectStorage,
  SqlStorageLike,
  SqlTemplate,
  TransactionsLike,
} from './object-storage.ts';
