import {
  createLocalNotifier,
  withSchema,
  type SqlDriver,
  type StreamNotifier,
} from '@helix-agents/store-sql';
import { checkNode } from '@helix-agents/core/store';
import type { DatabaseSync } from 'node:sqlite';
import { createNodeDriver } from './node-driver.ts';
import { checkPath, openError } from './open-error.ts';
import { isBusy } from './while-busy.ts';

export interface SqliteOptions {
  /** `full` survives a power loss; `normal` survives the death of the process and is several times faster. */
  readonly synchronous?: 'full' | 'normal';
  /** How long to wait for another process that writes; 5000 by default. */
  readonly busyTimeoutMs?: number;
  /** False: never changes the schema, and refuses one that is not current. */
  readonly migrate?: boolean;
  readonly now?: () => number;
  /** How often a waiting stream reader polls for chunks of other processes; 100 by default. */
  readonly pollMs?: number;
}

/** A path, `:memory:`, or a database that the caller has opened, configured and will close. */
export type SqliteSource = string | DatabaseSync;

export interface SqliteConnection {
  readonly database: DatabaseSync;
  readonly driver: SqlDriver;
  /** Shared by all stores on one database object. */
  readonly notifier: StreamNotifier;
  /** Closes the database if it was opened here. */
  close(): void;
}

export function connect(source: SqliteSource, options: SqliteOptions = {}): SqliteConnection {
  if (typeof source !== 'string') return attach(source, options, () => {});
  const database = openDatabase(source, options);
  return attach(database, options, () => {
    if (database.isOpen) database.close();
  });
}

export function openDatabase(path: string, options: SqliteOptions): DatabaseSync {
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
  const database = openFile(path, Math.min(timeout, MOST_BLOCKED_MS));
  if (options.synchronous !== 'normal') withFullSync.add(database);
  const configure = (): void => {
    database.exec(`pragma page_size = ${PAGE_BYTES}`);
    database.exec('pragma journal_mode = wal');
    database.exec(`pragma synchronous = ${options.synchronous ?? 'full'}`);
    database.exec(`pragma wal_autocheckpoint = ${WAL_PAGES}`);
    unconfigured.delete(database);
  };
  try {
    configure();
    return database;
  } catch (error) {
    if (isBusy(error)) {
      unconfigured.set(database, configure);
      return database;
    }
    database.close();
    throw openError(path, error);
  }
}

/** SQLite is loaded here, not by an import, so that a Node without it gets as far as a clear message. */
function openFile(path: string, timeout: number): DatabaseSync {
  checkNode();
  checkPath(path);
  const sqlite = process.getBuiltinModule('node:sqlite');
  try {
    return new sqlite.DatabaseSync(path, { timeout });
  } catch (error) {
    throw openError(path, error);
  }
}

const DEFAULT_BUSY_TIMEOUT_MS = 5000;
/** How long a statement waits for a lock while nothing else happens in this process; after that the wait is asynchronous. */
const MOST_BLOCKED_MS = 10;
/** Page size of a new file; an existing file keeps its own. A commit changes a little in many pages, and each is logged whole. */
const PAGE_BYTES = 2048;
/** 32 MB: steps write the same few pages again and again, and a longer log is copied back less often. */
const WAL_PAGES = 16_000;
/** Databases opened here with full sync. One that a caller opened keeps its own pragmas. */
const withFullSync = new WeakSet<DatabaseSync>();

/** Files that another process had locked when they were opened: how they are to be configured before they are used. */
const unconfigured = new WeakMap<DatabaseSync, () => void>();

/** What stores on one database object share: the driver with its prepared statements, the schema check, the notifier of readers. */
interface Shared {
  readonly migrating: SqlDriver;
  readonly checking: SqlDriver;
  readonly notifier: StreamNotifier;
}

const attached = new WeakMap<DatabaseSync, Shared>();

function attach(
  database: DatabaseSync,
  options: SqliteOptions,
  close: () => void,
): SqliteConnection {
  const shared = attached.get(database) ?? share(database, options);
  attached.set(database, shared);
  const { migrating, checking, notifier } = shared;
  const driver = (options.migrate ?? true) ? migrating : checking;
  return { database, driver, notifier, close };
}

function share(database: DatabaseSync, options: SqliteOptions): Shared {
  const driver = createNodeDriver(
    database,
    options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS,
    withFullSync.has(database),
    () => unconfigured.get(database)?.(),
  );
  return {
    migrating: withSchema(driver, true),
    checking: withSchema(driver, false),
    notifier: createLocalNotifier(),
  };
}
