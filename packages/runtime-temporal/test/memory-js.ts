import { JSAgentExecutor } from '@helix-agents/runtime-js';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
} from '@helix-agents/store-memory';
import type { TestWorld } from '@helix-agents/testing';

/** Fresh stores in memory. */
export function memoryStores(): Omit<TestWorld, 'start' | 'close'> {
  const stateStore = new InMemoryStateStore();
  const { database } = stateStore;
  return {
    stateStore,
    usageStore: new InMemoryUsageStore({ database }),
    streamManager: new InMemoryStreamManager({ database }),
  };
}

/** The runtime that histories are compared with. */
export function memoryJs(): TestWorld {
  return { ...memoryStores(), start: (parts) => new JSAgentExecutor(parts), close() {} };
}
