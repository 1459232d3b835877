import { noopLogger } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { oneDatabase, type ServedWorld } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { openRedis } from '../src/index.ts';

/** Random schedules on the server at this URL. Each has keys of its own, which begin with the prefix. */
export async function openScheduleWorld(url: string, prefix: string): Promise<ServedWorld> {
  const client = new Redis(url);
  let opened = 0;
  const world = oneDatabase({
    name: 'redis',
    open: ({ now }) =>
      openRedis(client, {
        prefix: `${prefix}:${(opened += 1)}`,
        clock: 'caller',
        now,
        logger: noopLogger,
      }),
    start: ({ attempts, ...parts }) => new JSAgentExecutor({ ...parts, seams: { attempts } }),
  });
  return { world, close: async () => client.disconnect() };
}
