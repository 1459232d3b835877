// For programs that a test starts. Without vitest.
export { obeyStoreCommand } from './processes/store-process.ts';
export type { ProcessStores, StoreCommands } from './processes/store-process.ts';
