import {
  testKillStorm,
  testSigkill,
  testTwoProcesses,
  type SharedStoreOptions,
} from '@helix-agents/test-processes';
import { describeServer } from '@helix-agents/test-servers';
import { openSpace } from './connections.ts';

const redis: SharedStoreOptions = {
  name: 'redis',
  create: async () => {
    const { url, prefix, close } = await openSpace();
    const module = new URL('./stores.ts', import.meta.url).href;
    return { address: { module, args: [url, prefix] }, close };
  },
};

describeServer('redis', () => {
  testSigkill(redis);
  testTwoProcesses(redis);
  testKillStorm(redis);
});
