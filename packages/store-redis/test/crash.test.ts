import { noopLogger } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { createRedisSpace, describeServer, type RedisSpace } from '@helix-agents/test-servers';
import { testCrashes } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { openRedis } from '../src/index.ts';

describeServer('redis', () => {
  let space: RedisSpace;
  let client: Redis;
  let opened = 0;
  beforeAll(async () => {
    space = await createRedisSpace();
    client = new Redis(space.url);
  });
  afterAll(async () => {
    client.disconnect();
    await space.drop();
  });

  testCrashes({
    name: 'runtime-js on Redis',
    stride: 40,
    create: async ({ now }) => {
      const { close, ...stores } = openRedis(client, {
        prefix: `${space.prefix}:${(opened += 1)}`,
        clock: 'caller',
        now,
        logger: noopLogger,
      });
      return { ...stores, close: async () => close() };
    },
    start: (parts) => new JSAgentExecutor(parts),
  });
});
