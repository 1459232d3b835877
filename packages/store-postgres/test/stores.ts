// What processes that are stopped and killed open.
import type { Stores } from '@helix-agents/test-processes';
import { openPostgres } from '../src/index.ts';
import { newPool } from './new-pool.ts';

/** With `listen` readers are woken by the database, over a connection of their own. */
export function openStores(url: string, listen?: 'listen'): Stores {
  const pool = newPool(url, 4);
  const { stateStore, streamManager, close } = openPostgres(pool, listen ? { listen: pool } : {});
  return {
    stateStore,
    streamManager,
    close() {
      close();
      void pool.end();
    },
  };
}
