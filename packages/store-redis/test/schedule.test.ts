// A share of the schedules; `npm run stress -- --world redis` plays 200.
import { createRedisSpace, describeServer } from '@helix-agents/test-servers';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { oneDatabase, testSchedules } from '@helix-agents/testing';
import { openScheduleWorld } from './schedule-world.ts';

describeServer('redis', () => {
  testSchedules({
    name: 'redis',
    seed: Number(process.env['HELIX_SEED'] ?? 20_262),
    runs: 16,
    sameAs: oneDatabase({
      name: 'memory',
      open({ now }) {
        const stateStore = new InMemoryStateStore();
        const { database } = stateStore;
        return {
          stateStore,
          streamManager: new InMemoryStreamManager({ database, now }),
          close() {},
        };
      },
      start: ({ attempts, ...parts }) => new JSAgentExecutor({ ...parts, seams: { attempts } }),
    }),
    create: async () => {
      const space = await createRedisSpace();
      const { world, close } = await openScheduleWorld(space.url, space.prefix);
      return { world, close: () => close().then(() => space.drop()) };
    },
  });
});
