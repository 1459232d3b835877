// If this fails: a temporary failure of Postgres ends a run for good.
import { describeServer } from '@helix-agents/test-servers';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../src/index.ts';
import { testPostgres } from './database.ts';

const unavailable = { code: 'store_unavailable', retryable: true };

describeServer('postgres', () => {
  const postgres = testPostgres();

  const newPool = (config: pg.PoolConfig): pg.Pool => {
    const pool = new pg.Pool({ connectionString: postgres.url, max: 2, ...config });
    pool.on('error', () => {});
    onTestFinished(() => pool.end());
    return pool;
  };

  it('a client whose connection broke rejects as store_unavailable', async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    const ended = new Promise((resolve) => client.once('end', resolve));
    client.on('error', () => {});
    await client.connect();
    const { stateStore } = openPostgres(client);
    await stateStore.loadState('s1');
    const { rows } = await client.query('select pg_backend_pid() as pid');
    await postgres.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await ended;
    await expect(stateStore.loadState('s1')).rejects.toMatchObject(unavailable);
  });

  it.each([
    ['the client', { query_timeout: 200 }],
    ['the server', { statement_timeout: 200 }],
  ])('a statement that takes too long for %s rejects as store_unavailable', async (_, config) => {
    const { stateStore } = openPostgres(newPool(config));
    await stateStore.loadState('s1');
    const other = await postgres.pool.connect();
    try {
      await other.query('begin');
      await other.query('lock table __agents_sessions');
      await expect(stateStore.loadState('s1')).rejects.toMatchObject(unavailable);
    } finally {
      await other.query('rollback');
      other.release();
    }
  });

  it('a read-only server rejects as store_unavailable', async () => {
    const { stateStore } = openPostgres(
      newPool({ options: '-c default_transaction_read_only=on' }),
    );
    await expect(stateStore.createSession('s1')).rejects.toMatchObject(unavailable);
  });
});
