import type { Databases, SessionRef, SessionStore } from '@helix-agents/core';
import {
  faultyStore,
  replayHost,
  splitHost,
  type HostSeams,
  type OpenWorld,
  type ProcessParts,
  type ScheduleExecutor,
  type ScheduleWorld,
  type WorldParts,
} from '@helix-agents/testing';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
} from '@helix-agents/store-memory';
import { openSqlite } from '@helix-agents/store-sqlite';
import { JSAgentExecutor } from '../src/index.ts';

/** The places a schedule is played in. `elsewhere`: streams are in another database than sessions. */
export const WORLDS: Readonly<Record<WorldName, ScheduleWorld>> = {
  memory: {
    name: 'memory',
    databases: 'one',
    open: ({ now, watch }) => inMemory(now, watch, {}),
  },
  elsewhere: {
    name: 'elsewhere',
    databases: 'one',
    open: (parts) => ({
      ...inMemory(parts.now, parts.watch, {}),
      streamManager: new InMemoryStreamManager({ now: parts.now }),
    }),
  },
  sqlite: {
    name: 'sqlite',
    databases: 'one',
    open({ now, watch }): OpenWorld {
      const { stateStore, streamManager, close } = openSqlite(':memory:', { now });
      const sessions = watch(stateStore.sessions);
      return {
        stateStore: { sessions, index: stateStore.index },
        streamManager,
        start: starter({}),
        close,
      };
    },
  },
  replay: {
    name: 'replay',
    databases: 'one',
    open: ({ now, watch }) => inMemory(now, watch, replayHost()),
  },
  split: { name: 'split', databases: 'apart', open: (parts) => apart(parts) },
  outages: {
    name: 'outages',
    databases: 'apart',
    open(parts) {
      const world = apart(parts);
      const isDown = outages(parts);
      return {
        ...world,
        start: ({ databases = world.databases, ...rest }) =>
          world.start({ ...rest, ...(databases ? { databases: failing(databases, isDown) } : {}) }),
      };
    },
  },
};

export const WORLD_NAMES = ['memory', 'elsewhere', 'sqlite', 'replay', 'split', 'outages'] as const;
export type WorldName = (typeof WORLD_NAMES)[number];

function inMemory(
  now: () => number,
  watch: Parameters<ScheduleWorld['open']>[0]['watch'],
  seams: HostSeams,
): OpenWorld {
  const { sessions, index, database } = new InMemoryStateStore();
  return {
    stateStore: { sessions: watch(sessions), index },
    streamManager: new InMemoryStreamManager({ database, now }),
    start: starter(seams),
    close: () => {},
  };
}

/** A database per session, operations repeated, replies lost. */
function apart({
  now,
  watch,
  seed,
}: WorldParts): OpenWorld & Required<Pick<OpenWorld, 'databases'>> {
  const host = splitHost({
    seed,
    newDatabase() {
      const { sessions, index, database } = new InMemoryStateStore();
      return { sessions: watch(sessions), index, usage: new InMemoryUsageStore({ database }) };
    },
  });
  const root = { rootId: '', sessionId: '' };
  return {
    stateStore: { sessions: host.databases.of(root), index: host.index },
    streamManager: new InMemoryStreamManager({ now }),
    databases: host.databases,
    start: starter(host.seams),
    close: () => {},
  };
}

const OUTAGE_MS = 5_000;
const OUTAGES_MS = 60_000;

/** Which databases of sub-agents are down at a moment: for some seconds each, now and then, during the first minute. */
function outages({ now, seed }: Pick<WorldParts, 'now' | 'seed'>): (ref: SessionRef) => boolean {
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

function failing(databases: Databases, isDown: (ref: SessionRef) => boolean): Databases {
  const known = new Map<SessionStore, SessionStore>();
  return {
    of(ref) {
      const store = databases.of(ref);
      const made =
        known.get(store) ?? faultyStore(store, () => (isDown(ref) ? 'fail-before' : 'pass'));
      known.set(store, made);
      return made;
    },
  };
}

function starter(seams: HostSeams): (parts: ProcessParts) => ScheduleExecutor {
  return ({ databases, attempts, ...parts }) =>
    new JSAgentExecutor({
      ...parts,
      seams: { ...seams, attempts, ...(databases ? { databases } : {}) },
    });
}
