import { createRedisSpace, describeServer, type RedisSpace } from '@helix-agents/test-servers';
import { testCrashes, type ServedWorlds } from '@helix-agents/testing';
import { afterAll, beforeAll } from 'vitest';
import { openWorlds } from './worlds.ts';

describeServer('redis', () => {
  let space: RedisSpace;
  let worlds: ServedWorlds;
  beforeAll(async () => {
    space = await createRedisSpace();
    worlds = openWorlds(space.url, space.prefix);
  });
  afterAll(async () => {
    await worlds.close();
    await space.drop();
  });

  testCrashes({
    name: 'runtime-js on Redis',
    stride: 40,
    open: (options) => worlds.open(options),
  });
});
