// The suites of the stores, as they run inside workerd: on the SQLite of a Durable Object.
import {
  testSessionStore,
  testStateStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import {
  DOStateStore,
  DOStreamManager,
  DOUsageStore,
  type ObjectStoreOptions,
} from '@helix-agents/store-cloudflare';
import type { SessionIndex, SessionStore } from '@helix-agents/core/store';
import { clear } from './clear.ts';

const done = async (): Promise<void> => {};
const LARGEST = 2_000_000;

export function objectSuites(options: ObjectStoreOptions): Readonly<Record<string, () => void>> {
  const { sql } = options;
  const empty = (): Promise<void> =>
    clear(async (text) =>
      typeof sql === 'function' ? [] : (sql.exec(text).toArray() as Record<string, unknown>[]),
    );
  const name = 'durable object';
  const capabilities = { shared: false, persistent: true };
  return {
    sessions: () =>
      testSessionStore({
        name,
        capabilities: {
          ...capabilities,
          serverClock: false,
          carriesStreams: true,
          largestValueBytes: LARGEST,
        },
        create: async () => {
          await empty();
          const open = async (): Promise<SessionStore & SessionIndex> => {
            const { sessions, index } = new DOStateStore(options);
            return { ...sessions, ...index };
          };
          const streams = new DOStreamManager(options);
          return { store: await open(), streams, reopen: open, close: done };
        },
      }),
    states: () =>
      testStateStore({
        name,
        capabilities,
        create: async () => {
          await empty();
          return { store: new DOStateStore(options), close: done };
        },
      }),
    streams: () =>
      testStreamManager({
        name,
        capabilities,
        create: async () => {
          await empty();
          const streams = new DOStreamManager(options);
          const reopen = async (): Promise<DOStreamManager> => new DOStreamManager(options);
          return { streams, reopen, close: async () => streams.close() };
        },
      }),
    usage: () =>
      testUsageStore({
        name,
        create: async () => {
          await empty();
          const { sessions } = new DOStateStore(options);
          return { usage: new DOUsageStore(options), sessions, close: done };
        },
      }),
  };
}
