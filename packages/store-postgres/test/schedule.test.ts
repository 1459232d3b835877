// A share of the schedules; `npm run stress -- --world postgres` plays 200.
import { createPostgresDatabase, describeServer } from '@helix-agents/test-servers';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { oneDatabase, testSchedules } from '@helix-agents/testing';
import { openScheduleWorld } from './schedule-world.ts';

describeServer('postgres', () => {
  testSchedules({
    name: 'postgres',
    seed: Number(process.env['HELIX_SEED'] ?? 20_261),
    runs: 12,
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
      const database = await createPostgresDatabase();
      const { world, close } = await openScheduleWorld(database.url);
      return { world, close: () => close().then(() => database.drop()) };
    },
  });
});
