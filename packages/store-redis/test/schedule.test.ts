// A share of the schedules; `npm run stress -- --world redis` plays 200.
import { memoryWorld } from '@helix-agents/test-processes';
import { createRedisSpace, describeServer } from '@helix-agents/test-servers';
import { testSchedules } from '@helix-agents/testing';
import { openWorlds } from './worlds.ts';

describeServer('redis', () => {
  testSchedules({
    name: 'redis',
    seed: Number(process.env['HELIX_SEED'] ?? 20_262),
    runs: 16,
    sameAs: memoryWorld,
    create: async () => {
      const space = await createRedisSpace();
      const { open, close } = openWorlds(space.url, space.prefix);
      return { open, close: () => close().then(() => space.drop()) };
    },
  });
});
