import { InMemoryStreamManager } from '@helix-agents/store-memory';
import { testStreamManager } from '@helix-agents/testing';

testStreamManager({
  name: 'memory',
  create: async () => ({ streams: new InMemoryStreamManager(), close: async () => {} }),
  capabilities: { shared: false, persistent: false },
});
