// What processes that are stopped and killed open.
import type { Stores } from '@helix-agents/test-processes';
import { openPostgres } from '../src/index.ts';
import { newPool } from './new-pool.ts';

export function openStores(url: string): Stores {
  const pool = newPool(url, 4);
  const { stateStore, streamManager, close } = openPostgres(pool);
  return {
    stateStore,
    streamManager,
    close() {
      close();
      void pool.end();
    },
  };
}
