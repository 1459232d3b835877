export type { D1Options } from './d1-connection.ts';
export type { D1Like, D1ResultLike, D1StatementLike } from './d1-database.ts';
export type { D1Retries } from './d1-driver.ts';
export { D1StateError } from './d1-errors.ts';
export { D1StateStore } from './d1-state-store.ts';
export { D1StreamManager, type D1StreamOptions } from './d1-stream-manager.ts';
export { D1UsageStore } from './d1-usage-store.ts';
export { runMigration } from './run-migration.ts';
export { ValueTooLargeError } from './value-too-large-error.ts';
