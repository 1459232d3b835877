import type { Operations } from '@helix-agents/core';
import type { HostSeams, RuntimeUnderTest, SplitDatabase } from '@helix-agents/testing';
import {
  createMemorySessionStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { JSAgentExecutor } from '../src/index.ts';

type Stores = Omit<RuntimeUnderTest, 'newExecutor'>;

/** Executors of this package over any stores, with a host's seams in between. */
export function worldOver(stores: Stores, seams: HostSeams = {}): RuntimeUnderTest {
  return {
    ...stores,
    newExecutor: ({ databases, wrapOperations: outer, ...parts }) => {
      const wrapOperations = (operations: Operations): Operations =>
        outer(seams.wrapOperations?.(operations) ?? operations);
      return new JSAgentExecutor({ ...parts, seams: { ...seams, databases, wrapOperations } });
    },
  };
}

export function memoryWorld(seams: HostSeams): RuntimeUnderTest {
  const database = new MemoryDatabase();
  const { sessions, index, usage } = over(database);
  const streams = new InMemoryStreamManager({ database });
  return worldOver(
    { databases: { of: () => sessions }, index, usage, streams, close: async () => {} },
    seams,
  );
}

export function memoryDatabase(): SplitDatabase {
  return over(new MemoryDatabase());
}

function over(database: MemoryDatabase): SplitDatabase {
  const store = createMemorySessionStore(database);
  return { sessions: store, index: store, usage: new InMemoryUsageStore({ database }) };
}
