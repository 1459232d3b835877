import { JSAgentExecutor } from '@helix-agents/runtime-js';
import type { ScheduleWorld, ServedWorld } from '@helix-agents/testing';
import { createPgAdapter, openPostgres, PostgresMigrations } from '../src/index.ts';
import { deleteRows } from './database.ts';
import { newPool } from './new-pool.ts';

/** Random schedules over the database at this URL. Each begins without rows. */
export async function openScheduleWorld(url: string): Promise<ServedWorld> {
  const pool = newPool(url, 2);
  await new PostgresMigrations(createPgAdapter(pool)).run();
  const world: ScheduleWorld = {
    name: 'postgres',
    databases: 'one',
    async open({ now, watch }) {
      await deleteRows(pool);
      const options = { prepared: true, clock: 'caller', now } as const;
      const { stateStore, streamManager, close } = openPostgres(pool, options);
      return {
        stateStore: { sessions: watch(stateStore.sessions), index: stateStore.index },
        streamManager,
        start: ({ attempts, ...parts }) => new JSAgentExecutor({ ...parts, seams: { attempts } }),
        close,
      };
    },
  };
  return { world, close: () => pool.end() };
}
