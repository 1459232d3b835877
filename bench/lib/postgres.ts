import { openPostgres } from '@helix-agents/store-postgres';
import { createPostgresDatabase, startPostgres } from '@helix-agents/test-servers';
import pg from 'pg';
import { clockOfServer } from './server-cpu.ts';
import type { RawServer, ServerPlace } from './server-place.ts';

const CONNECTIONS = 16;

export interface PostgresPlaceOptions {
  readonly name: string;
  /** Statements planned once per connection, or anew each time. */
  readonly prepared: boolean;
  /** Whether a commit waits for the disk. */
  readonly synchronousCommit: 'on' | 'off';
}

/** No checkpoint falls into a measurement: it would be charged to whoever writes next. */
const SETTINGS = ['checkpoint_timeout=1h', 'max_wal_size=8GB'];

/** A server of its own, with `fsync`. */
export async function postgresPlace(options: PostgresPlaceOptions): Promise<ServerPlace> {
  const { name, prepared, synchronousCommit } = options;
  const settings = [...SETTINGS, `synchronous_commit=${synchronousCommit}`];
  const server = await startPostgres({ fsync: true, settings });
  const { url } = await createPostgresDatabase(server.url);
  const newPool = (): pg.Pool => {
    const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
    // The server goes first at the end.
    pool.on('error', () => {});
    return pool;
  };
  const pools: pg.Pool[] = [newPool()];
  return {
    name,
    raw: await rawPostgres(pools[0] as pg.Pool, prepared),
    targets: {
      step1: { atLeast: 0.85 },
      step16: { atLeast: 1 },
      call: { atLeast: 0.85 },
      tailP50: { atMost: 3 },
      resume: { atMost: 1.5 },
      delta: { atMost: 5 },
    },
    serverClock: clockOfServer(server.pid),
    async bytesWritten() {
      const lsn = `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`;
      const { rows } = await (pools[0] as pg.Pool).query<{ bytes: string }>(lsn);
      return Number(rows[0]?.bytes);
    },
    open() {
      const pool = newPool();
      pools.push(pool);
      return openPostgres(pool, { prepared, listen: pool });
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
    },
  };
}

/** One statement per commit: version check, session row, messages; at the end of a step its checkpoint. */
async function rawPostgres(pool: pg.Pool, prepared: boolean): Promise<RawServer> {
  await pool.query(`create table raw_session (id text primary key, version bigint not null, status text not null,
      messages bigint not null, state text not null, updated bigint not null);
    create table raw_message (session text not null, sequence bigint not null, body text not null,
      primary key (session, sequence));
    create table raw_checkpoint (session text not null, version bigint not null, messages bigint not null,
      state text not null, created bigint not null, primary key (session, version))`);
  const create = `with s as (insert into raw_session values ($1, 1, 'running', cardinality($3::text[]), '{}', $2) returning id)
    insert into raw_message select s.id, m.n, m.body from s, unnest($3::text[]) with ordinality as m (body, n)`;
  const change = `s as (update raw_session set version = version + 1, status = 'running', state = '{}', updated = $3,
      messages = messages + cardinality($4::text[]) where id = $1 and version = $2 returning id, version, messages, state),
    i as (insert into raw_message select s.id, s.messages - cardinality($4::text[]) + m.n, m.body
      from s, unnest($4::text[]) with ordinality as m (body, n))`;
  const commit = `with ${change} select 1 from s`;
  const closeStep = `with ${change},
    c as (insert into raw_checkpoint select s.id, s.version, s.messages, s.state, $3 from s)
    select 1 from s`;
  const query = (name: string, text: string, values: unknown[]): Promise<pg.QueryResult> =>
    pool.query(prepared ? { name, text, values } : { text, values });
  const bodies = (messages: readonly unknown[]): string[] =>
    messages.map((message) => JSON.stringify(message));
  const changing = (name: string, text: string): RawServer['commit'] => {
    return async (id, version, messages) => {
      const { rowCount } = await query(name, text, [id, version, Date.now(), bodies(messages)]);
      if (rowCount !== 1) throw new Error('stale');
    };
  };
  return {
    async create(id, messages) {
      await query('raw_create', create, [id, Date.now(), bodies(messages)]);
    },
    commit: changing('raw_commit', commit),
    closeStep: changing('raw_close_step', closeStep),
  };
}
