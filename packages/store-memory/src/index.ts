export { InMemoryLockManager } from './in-memory-lock-manager.ts';
export { InMemoryStateStore } from './in-memory-state-store.ts';
export { InMemoryStreamManager } from './in-memory-stream-manager.ts';
export type { InMemoryStreamManagerOptions } from './in-memory-stream-manager.ts';
export { InMemoryUsageStore } from './in-memory-usage-store.ts';
export { MemoryDatabase } from './memory-database.ts';
export { createMemorySessionStore } from './session-store.ts';
