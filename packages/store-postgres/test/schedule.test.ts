// A share of the schedules; `npm run stress -- --world postgres` plays 200.
import { memoryWorld } from '@helix-agents/test-processes';
import { createPostgresDatabase, describeServer } from '@helix-agents/test-servers';
import { testSchedules } from '@helix-agents/testing';
import { openScheduleWorlds } from './worlds.ts';

describeServer('postgres', () => {
  testSchedules({
    name: 'postgres',
    seed: Number(process.env['HELIX_SEED'] ?? 20_261),
    runs: 12,
    sameAs: memoryWorld,
    create: async () => {
      const database = await createPostgresDatabase();
      const { open, close } = await openScheduleWorlds(database.url);
      return { open, close: () => close().then(() => database.drop()) };
    },
  });
});
