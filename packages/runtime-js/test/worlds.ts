import type { Databases } from '@helix-agents/core/host';
import type { SessionRef } from '@helix-agents/core/store';
import {
  faultyStore,
  replayHost,
  splitHost,
  wrapDatabases,
  type ExecutorParts,
  type ExecutorUnderTest,
  type HostSeams,
  type OpenTestWorld,
  type TestWorld,
  type TestWorldOptions,
} from '@helix-agents/testing';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
} from '@helix-agents/store-memory';
import { openSqlite } from '@helix-agents/store-sqlite';
import { JSAgentExecutor } from '../src/index.ts';

export const WORLD_NAMES = ['memory', 'elsewhere', 'sqlite', 'replay', 'split', 'outages'] as const;
export type WorldName = (typeof WORLD_NAMES)[number];

/** What the suites of this package are run in. */
export const WORLDS: Readonly<Record<WorldName, OpenTestWorld>> = {
  memory: (options) => inMemory(options),
  /** Streams are in another database than sessions. */
  elsewhere: (options) => ({
    ...inMemory(options),
    streamManager: new InMemoryStreamManager({ now: options.now }),
  }),
  sqlite: ({ now }) => ({ ...openSqlite(':memory:', { now, pollMs: 5 }), start: starter() }),
  /** The loop is replayed after every operation. */
  replay: (options) => inMemory(options, replayHost()),
  /** A database per session, operations repeated, replies lost. */
  split: (options) => apart(options),
  /** The same, and databases of sub-agents that are down now and then. */
  outages(options) {
    const world = apart(options);
    const isDown = outages(options);
    const failing = (databases: Databases = world.databases): Databases =>
      wrapDatabases(databases, (store, ref) =>
        faultyStore(store, () => (isDown(ref) ? 'fail-before' : 'pass')),
      );
    return {
      ...world,
      start: ({ seams, ...parts }) =>
        world.start({ ...parts, seams: { ...seams, databases: failing(seams.databases) } }),
    };
  },
};

function inMemory({ now }: TestWorldOptions, host: HostSeams = {}): TestWorld {
  const stateStore = new InMemoryStateStore();
  const { database } = stateStore;
  return {
    stateStore,
    streamManager: new InMemoryStreamManager({ database, now }),
    usageStore: new InMemoryUsageStore({ database }),
    start: starter(host),
    close() {},
  };
}

export function apart(
  { now, watch, seed }: TestWorldOptions,
  lostReplies?: number,
): TestWorld & Required<Pick<TestWorld, 'databases'>> {
  const { databases, index, usage, seams } = splitHost({
    seed,
    ...(lostReplies === undefined ? {} : { lostReplies }),
    newDatabase() {
      const { sessions, index: ownIndex, database } = new InMemoryStateStore();
      const usageStore = new InMemoryUsageStore({ database });
      return { sessions: watch(sessions), index: ownIndex, usage: usageStore };
    },
  });
  return {
    stateStore: { sessions: databases.of({ rootId: '', sessionId: '' }), index },
    streamManager: new InMemoryStreamManager({ now }),
    usageStore: usage,
    databases,
    start: starter(seams),
    close() {},
  };
}

/** Executors of this package; what a suite puts between the parts is outside of what the host does. */
export function starter(host: HostSeams = {}): (parts: ExecutorParts) => ExecutorUnderTest {
  return ({ seams, ...parts }) => {
    const wrapOperations: NonNullable<HostSeams['wrapOperations']> = (operations) => {
      const inner = host.wrapOperations?.(operations) ?? operations;
      return seams.wrapOperations?.(inner) ?? inner;
    };
    return new JSAgentExecutor({ ...parts, seams: { ...host, ...seams, wrapOperations } });
  };
}

const OUTAGE_MS = 5_000;
const OUTAGES_MS = 60_000;

/** Which databases of sub-agents are down at a moment: for some seconds each, now and then, during the first minute. */
function outages({ now, seed }: TestWorldOptions): (ref: SessionRef) => boolean {
  const begin = now();
  return ({ rootId, sessionId }) => {
    const since = now() - begin;
    if (sessionId === rootId || since > OUTAGES_MS) return false;
    const place = `${seed} ${sessionId} ${Math.floor(since / OUTAGE_MS)}`;
    let hash = 7;
    for (const letter of place) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
    return hash % 3 === 0;
  };
}
