import {
  callerClock,
  createLocalNotifier,
  postgresClock,
  withSchema,
  type SqlClock,
  type StreamNotifier,
} from '@helix-agents/store-sql';
import { consoleLogger, DefinitionError, toLogger, type Logger } from '@helix-agents/core';
import { sendNamed, sendUnnamed, takesNames } from './named-statements.ts';
import type { NamingPgClient, PgClient } from './pg-client.ts';
import { createPgDriver, type PgDriver } from './pg-driver.ts';

export interface PgAdapterOptions {
  /**
   * Named (prepared) statements: Postgres plans each text once per connection. By default on for clients that take them, which are
   * those with `connect`: `pg` and Neon have it. Behind a pooler that loses names the store continues without, after one warning.
   */
  readonly prepared?: boolean;
  /** False: each commit is a statement of its own, also when commits of several sessions arrive together. */
  readonly groupCommits?: boolean;
  /** False: never changes the schema, and refuses one that is not current. */
  readonly migrate?: boolean;
  /**
   * The clock for deadlines, leases and times of rows. By default that of the server, so that processes whose clocks differ agree.
   * `caller` uses the times that are passed in, for tests with a manual clock.
   */
  readonly clock?: 'server' | 'caller';
  /** Gets the warning about a pooler that loses named statements. The console by default. */
  readonly logger?: Logger;
}

/** One client for all stores of a process. Made by `createPgAdapter`. */
export interface PostgresAdapter {
  /** Migrates or checks the schema before its first statement. */
  readonly driver: PgDriver;
  /** Does not check the schema. */
  readonly bareDriver: PgDriver;
  readonly client: PgClient;
  readonly clock: SqlClock;
  readonly groupCommits: boolean;
  /** Wakes the stream readers of this process. */
  readonly notifier: StreamNotifier;
}

/**
 * Over a `pg` Pool, a client per request on Workers, Neon's Pool: anything with `query(text, values)`. Whoever made the client
 * closes it.
 */
export function createPgAdapter(client: PgClient, options: PgAdapterOptions = {}): PostgresAdapter {
  requireClient(client);
  const { prepared = takesNames(client) } = options;
  const logger = toLogger(options.logger ?? consoleLogger);
  const bareDriver = createPgDriver(
    prepared ? sendNamed(client as NamingPgClient, logger) : sendUnnamed(client),
  );
  return {
    client,
    bareDriver,
    groupCommits: options.groupCommits ?? true,
    driver: withSchema(bareDriver, options.migrate ?? true),
    clock: options.clock === 'caller' ? callerClock : postgresClock,
    notifier: createLocalNotifier(),
  };
}

/** Not said back: a connection string has a password in it. */
function requireClient(client: unknown): void {
  const isClient = typeof client === 'object' && client !== null && 'query' in client;
  if (isClient && typeof client.query === 'function') return;
  throw new DefinitionError(
    typeof client === 'string'
      ? 'A client is needed, and a text was given; connect with it: openPostgres(new pg.Pool({ connectionString })).'
      : 'A client with query(text, values) is needed: openPostgres(new pg.Pool({ connectionString })).',
  );
}
