import { DefinitionError } from '@helix-agents/core';
import {
  createLocalNotifier,
  withSchema,
  type SqlDriver,
  type StreamNotifier,
} from '@helix-agents/store-sql';
import { checkOptions } from './check-options.ts';
import type { D1Like } from './d1-database.ts';
import { createD1Driver, type D1Retries } from './d1-driver.ts';

export interface D1Options {
  /** The D1 binding, such as `env.DB`. */
  readonly database: D1Like;
  /** False: never changes the schema, and refuses one that is not current. */
  readonly migrate?: boolean;
  /** Passing errors of D1: 4 attempts by default, with a pause of 100 ms before the second. */
  readonly retries?: D1Retries;
}

export const D1_OPTIONS: readonly (keyof D1Options)[] = ['database', 'migrate', 'retries'];

/** What stores on one binding share: the schema check and the notifier of readers. */
export interface D1Connection {
  readonly driver: SqlDriver;
  readonly notifier: StreamNotifier;
}

const RETRIES: D1Retries = { attempts: 4, pauseMs: 100 };

interface Shared {
  readonly migrating: SqlDriver;
  readonly checking: SqlDriver;
  readonly notifier: StreamNotifier;
}

const shared = new WeakMap<object, Shared>();

export function connectD1(options: D1Options): D1Connection {
  const database = requireD1(options?.database);
  // Other retries are another driver, which then looks at the schema by itself.
  const known = options.retries === undefined ? shared.get(database) : undefined;
  const { migrating, checking, notifier } = known ?? share(database, options.retries);
  return { driver: (options.migrate ?? true) ? migrating : checking, notifier };
}

function share(database: D1Like, retries: D1Retries | undefined): Shared {
  const driver = createD1Driver(database, retries ?? RETRIES);
  const made = {
    migrating: withSchema(driver, true),
    checking: withSchema(driver, false),
    notifier: shared.get(database)?.notifier ?? createLocalNotifier(),
  };
  if (retries === undefined) shared.set(database, made);
  return made;
}

/** A driver that does not look at the schema, for migrations. */
export function bareDriver(database: D1Like): SqlDriver {
  return createD1Driver(requireD1(database), RETRIES);
}

function requireD1(database: unknown): D1Like {
  const isD1 = typeof database === 'object' && database !== null && 'prepare' in database;
  if (isD1 && 'batch' in database) return database as D1Like;
  throw new DefinitionError(
    'A D1 binding is needed: new D1StateStore({ database: env.DB }), with DB under `d1_databases` of the wrangler configuration.',
  );
}

export function checkD1Options(options: D1Options, more: readonly string[] = []): void {
  checkOptions(options, [...D1_OPTIONS, ...more], 'a D1 store');
}
