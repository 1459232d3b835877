import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { oneDatabase, type ServedWorld } from '@helix-agents/testing';
import { createPgAdapter, openPostgres, PostgresMigrations } from '../src/index.ts';
import { deleteRows } from './database.ts';
import { newPool } from './new-pool.ts';

/** Random schedules over the database at this URL. Each begins without rows. */
export async function openScheduleWorld(url: string): Promise<ServedWorld> {
  const pool = newPool(url, 2);
  await new PostgresMigrations(createPgAdapter(pool)).run();
  const world = oneDatabase({
    name: 'postgres',
    async open({ now }) {
      await deleteRows(pool);
      return openPostgres(pool, { clock: 'caller', now });
    },
    start: ({ attempts, ...parts }) => new JSAgentExecutor({ ...parts, seams: { attempts } }),
  });
  return { world, close: () => pool.end() };
}
