import {
  callerClock,
  createLocalNotifier,
  postgresClock,
  withSchema,
  type SqlClock,
  type StreamNotifier,
} from '@helix-agents/store-sql';
import type { PgClient } from './pg-client.ts';
import { createPgDriver, type PgDriver } from './pg-driver.ts';

export interface PgAdapterOptions {
  /**
   * Named statements: Postgres plans each text once per connection. Not behind a pooler that hands each
   * statement to another connection, unless it keeps track of names (PgBouncer 1.21 and later can).
   */
  readonly prepared?: boolean;
  /** False: never changes the schema, and refuses one that is not current. */
  readonly migrate?: boolean;
  /**
   * Whose clock deadlines, leases and times of rows are on. By default the server's: then processes whose clocks differ
   * agree. `caller` takes the time that is handed in, for tests with a clock of their own.
   */
  readonly clock?: 'server' | 'caller';
}

/** One client for all stores of a process. Made by `createPgAdapter`. */
export interface PostgresAdapter {
  /** Prepares the schema before its first use. */
  readonly driver: PgDriver;
  /** Takes the schema as it is. */
  readonly bareDriver: PgDriver;
  readonly client: PgClient;
  readonly clock: SqlClock;
  /** Wakes the stream readers of this process. */
  readonly notifier: StreamNotifier;
}

/**
 * Over a `pg` Pool, a client per request on Workers, Neon's Pool: anything with `query(text, values)`.
 * Who made the client closes it.
 */
export function createPgAdapter(client: PgClient, options: PgAdapterOptions = {}): PostgresAdapter {
  const bareDriver = createPgDriver(client, options.prepared ?? false);
  return {
    client,
    bareDriver,
    driver: withSchema(bareDriver, options.migrate ?? true),
    clock: options.clock === 'caller' ? callerClock : postgresClock,
    notifier: createLocalNotifier(),
  };
}
