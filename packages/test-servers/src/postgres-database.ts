import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sharedServerUrl } from './shared-server.ts';

export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** A database of its own on the run's server, or on the one named. */
export async function createPostgresDatabase(serverUrl?: string): Promise<TestDatabase> {
  const server = serverUrl ?? (await sharedServerUrl('postgres'));
  const name = `helix_${randomUUID().replaceAll('-', '')}`;
  await execute(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(server, `drop database ${name} with (force)`),
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Ends some connections to the database of this URL, each by this chance, as its operator may; says how many. */
export async function terminateConnections(url: string, share: number): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and random() < $1`,
      [share],
    );
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
