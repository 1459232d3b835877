import { noopLogger } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import type { ScheduleWorld, ServedWorld } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { openRedis } from '../src/index.ts';

/** Random schedules on the server at this URL. Each has keys of its own, which begin with the prefix. */
export async function openScheduleWorld(url: string, prefix: string): Promise<ServedWorld> {
  const client = new Redis(url);
  let opened = 0;
  const world: ScheduleWorld = {
    name: 'redis',
    databases: 'one',
    open({ now, watch }) {
      const { stateStore, streamManager, close } = openRedis(client, {
        prefix: `${prefix}:${(opened += 1)}`,
        clock: 'caller',
        now,
        logger: noopLogger,
      });
      return {
        stateStore: { sessions: watch(stateStore.sessions), index: stateStore.index },
        streamManager,
        start: ({ attempts, ...parts }) => new JSAgentExecutor({ ...parts, seams: { attempts } }),
        close,
      };
    },
  };
  return { world, close: async () => client.disconnect() };
}
