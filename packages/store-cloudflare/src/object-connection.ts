import { DefinitionError } from '@helix-agents/core';
import {
  createLocalNotifier,
  withSchema,
  type SqlDriver,
  type StreamNotifier,
} from '@helix-agents/store-sql';
import { checkOptions } from './check-options.ts';
import { createObjectDriver } from './object-driver.ts';
import type { ObjectStorage } from './object-storage.ts';

export type ObjectStoreOptions = ObjectStorage;

/** What the stores of one object share. */
export interface ObjectConnection {
  readonly driver: SqlDriver;
  readonly notifier: StreamNotifier;
  /** Identifies the database: a commit may carry writes to streams of the same one. */
  readonly database: object;
}

const connections = new WeakMap<object, ObjectConnection>();

/** The schema is migrated before the first statement, once for all stores of the object. */
export function connectObject(
  options: ObjectStoreOptions,
  more: readonly string[] = [],
): ObjectConnection {
  checkOptions(options, ['sql', 'storage', ...more], 'a store of a Durable Object');
  const storage = requireStorage(options);
  const known = connections.get(storage);
  if (known) return known;
  const made = {
    driver: withSchema(createObjectDriver(options), true),
    notifier: createLocalNotifier(),
    database: storage,
  };
  connections.set(storage, made);
  return made;
}

function requireStorage({ sql, storage }: Partial<ObjectStorage>): object {
  const isSql = typeof sql === 'function' || (typeof sql === 'object' && 'exec' in sql);
  if (isSql && typeof storage?.transactionSync === 'function') return storage;
  throw new DefinitionError(
    isSql
      ? 'A commit is whole or not at all, for which `storage: ctx.storage` is needed beside `sql`.'
      : 'The SQLite of a Durable Object is needed: { sql: ctx.storage.sql, storage: ctx.storage }, with the class under `new_sqlite_classes`.',
  );
}
