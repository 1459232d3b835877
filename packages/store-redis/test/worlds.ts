import { noopLogger } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import type { ServedWorlds, TestWorld } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { openRedis } from '../src/index.ts';
import type { Space } from './connections.ts';

/** A world over keys of its own, which it deletes when it is closed. */
export function openWorldIn(space: Space, clock: 'server' | 'caller' = 'caller'): TestWorld {
  const start: TestWorld['start'] = (parts) => new JSAgentExecutor(parts);
  return { ...space.open(clock), start, close: () => space.close() };
}

/** Worlds over one connection to the server at this URL. Each has keys of its own, which begin with the prefix. */
export function openWorlds(url: string, prefix: string): ServedWorlds {
  const client = new Redis(url);
  let opened = 0;
  return {
    open: ({ now }) => ({
      ...openRedis(client, {
        prefix: `${prefix}:${(opened += 1)}`,
        clock: 'caller',
        now,
        logger: noopLogger,
      }),
      start: (parts) => new JSAgentExecutor(parts),
    }),
    close: async () => client.disconnect(),
  };
}
