import { JSAgentExecutor } from '@helix-agents/runtime-js';
import type { ServedWorlds, TestWorld } from '@helix-agents/testing';
import type pg from 'pg';
import { createPgAdapter, openPostgres, PostgresMigrations } from '../src/index.ts';
import { deleteRows } from './database.ts';
import { newPool } from './new-pool.ts';

/** A world without rows. Rows have the times that they are given, unless the options say otherwise. */
export async function openWorld(
  pool: pg.Pool,
  options: Parameters<typeof openPostgres>[1] = {},
): Promise<TestWorld> {
  await deleteRows(pool);
  return {
    ...openPostgres(pool, { clock: 'caller', pollMs: 5, ...options }),
    start: (parts) => new JSAgentExecutor(parts),
  };
}

/** Random schedules over the database at this URL. */
export async function openScheduleWorlds(url: string): Promise<ServedWorlds> {
  const pool = newPool(url, 2);
  await new PostgresMigrations(createPgAdapter(pool)).run();
  return { open: ({ now }) => openWorld(pool, { now }), close: () => pool.end() };
}
