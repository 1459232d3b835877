import pg from 'pg';

/** A server that goes away breaks idle connections, which must not end the process. */
export function newPool(url: string, max = 8, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, ...options });
  pool.on('error', () => {});
  return pool;
}
