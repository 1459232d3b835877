/** What most applications install: core, the in-process runtime, and the memory and SQLite stores. */
export { createHelix } from './create-helix.ts';
export type { Helix, HelixOptions, HelixStores } from './create-helix.ts';
export * from '@helix-agents/core';
export * from '@helix-agents/runtime-js';
export * from '@helix-agents/store-memory';
export * from '@helix-agents/store-sqlite';
