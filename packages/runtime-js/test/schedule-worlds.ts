import {
  replayHost,
  splitHost,
  type HostSeams,
  type OpenWorld,
  type ProcessParts,
  type ScheduleExecutor,
  type ScheduleWorld,
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
  split: {
    name: 'split',
    databases: 'apart',
    open({ now, watch, seed }): OpenWorld {
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
    },
  },
};

export const WORLD_NAMES = ['memory', 'elsewhere', 'sqlite', 'replay', 'split'] as const;
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

function starter(seams: HostSeams): (parts: ProcessParts) => ScheduleExecutor {
  return ({ databases, attempts, ...parts }) =>
    new JSAgentExecutor({
      ...parts,
      seams: { ...seams, attempts, ...(databases ? { databases } : {}) },
    });
}
