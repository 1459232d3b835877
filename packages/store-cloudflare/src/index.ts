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
export { ValueTooLargeError } from './value-too-large-error.ts';
