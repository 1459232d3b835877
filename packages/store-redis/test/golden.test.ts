import { describeServer } from '@helix-agents/test-servers';
import { testGolden, type TestWorld } from '@helix-agents/testing';
import { fileURLToPath } from 'node:url';
import { FORMAT } from '../src/format-version.ts';
import { openSpace, type Space } from './connections.ts';
import { dumpSpace, restoreSpace } from './dump-space.ts';
import { openWorldIn } from './worlds.ts';

const spaces = new WeakMap<object, Space>();

describeServer('redis', () => {
  testGolden({
    name: 'redis',
    fixture: fileURLToPath(new URL(`fixtures/format-${FORMAT}.jsonl`, import.meta.url)),
    create: async () => worldIn(await openSpace()),
    dump: (world) => dumpSpace(spaces.get(world) as Space),
    restore: async (dump) => {
      const space = await openSpace();
      await restoreSpace(space, dump);
      return worldIn(space);
    },
  });
});

function worldIn(space: Space): TestWorld {
  const world = openWorldIn(space);
  spaces.set(world, space);
  return world;
}
