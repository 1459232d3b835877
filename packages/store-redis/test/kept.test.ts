import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { describeServer } from '@helix-agents/test-servers';
import { testGolden, type KeptStores } from '@helix-agents/testing';
import { fileURLToPath } from 'node:url';
import { FORMAT } from '../src/format.ts';
import { openSpace, type Space } from './connections.ts';
import { dumpSpace, restoreSpace } from './dump-space.ts';

const spaces = new WeakMap<object, Space>();

describeServer('redis', () => {
  testGolden({
    name: 'redis',
    fixture: fileURLToPath(new URL(`fixtures/format-${FORMAT}.jsonl`, import.meta.url)),
    create: async () => storesIn(await openSpace()),
    dump: (stores) => dumpSpace(spaces.get(stores) as Space),
    restore: async (dump) => {
      const space = await openSpace();
      await restoreSpace(space, dump);
      return storesIn(space);
    },
    start: (parts) => new JSAgentExecutor(parts),
  });
});

function storesIn(space: Space): KeptStores {
  const { stateStore, streamManager, usageStore } = space.open();
  const stores = { stateStore, streamManager, usageStore, close: () => space.close() };
  spaces.set(stores, space);
  return stores;
}
