import { JSAgentExecutor } from '@helix-agents/runtime-js';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
} from '@helix-agents/store-memory';
import type { OpenTestWorld } from '@helix-agents/testing';

/** The world that worlds over a server are compared with. */
export const memoryWorld: OpenTestWorld = ({ now }) => {
  const stateStore = new InMemoryStateStore();
  const { database } = stateStore;
  return {
    stateStore,
    streamManager: new InMemoryStreamManager({ database, now }),
    usageStore: new InMemoryUsageStore({ database }),
    start: (parts) => new JSAgentExecutor(parts),
    close() {},
  };
};
