// The suites of the stores, as they run inside workerd: on D1, and on the SQLite of a Durable Object.
import {
  testSessionStore,
  testStateStore,
  testStreamManager,
  testUsageStore,
} from '@helix-agents/testing';
import {
  D1StateStore,
  D1StreamManager,
  D1UsageStore,
  DOStateStore,
  DOStreamManager,
  DOUsageStore,
  type D1Like,
  type ObjectStoreOptions,
} from '@helix-agents/store-cloudflare';
import type { SessionIndex, SessionStore } from '@helix-agents/core/store';
import { clear } from './clear.ts';

const done = async (): Promise<void> => {};
const LARGEST = 2_000_000;

function both(store: { sessions: SessionStore; index: SessionIndex }): SessionStore & SessionIndex {
  return { ...store.sessions, ...store.index };
}

export function d1Suites(database: D1Like): Readonly<Record<string, () => void>> {
  const empty = (): Promise<void> =>
    clear(async (sql) => (await database.prepare(sql).all()).results as Record<string, unknown>[]);
  // Another isolate has a binding of its own, and so a driver of its own.
  const another = (): D1Like => ({
    prepare: (sql) => database.prepare(sql),
    batch: (statements) => database.batch(statements),
  });
  const capabilities = { shared: true, persistent: true, serverClock: false };
  return {
    sessions: () =>
      testSessionStore({
        name: 'd1',
        capabilities: { ...capabilities, largestValueBytes: LARGEST },
        create: async () => {
          await empty();
          const open = async (): Promise<SessionStore & SessionIndex> =>
            both(new D1StateStore({ database: another() }));
          const streams = new D1StreamManager({ database });
          return { store: await open(), streams, reopen: open, openSecond: open, close: done };
        },
      }),
    states: () =>
      testStateStore({
        name: 'd1',
        capabilities,
        create: async () => {
          await empty();
          const open = async (): Promise<D1StateStore> => new D1StateStore({ database: another() });
          return { store: await open(), openSecond: open, close: done };
        },
      }),
    streams: () =>
      testStreamManager({
        name: 'd1',
        capabilities,
        create: async () => {
          await empty();
          const opened: D1StreamManager[] = [];
          const open = async (): Promise<D1StreamManager> => {
            const streams = new D1StreamManager({ database: another(), pollMs: 5 });
            opened.push(streams);
            return streams;
          };
          const close = async (): Promise<void> => opened.forEach((streams) => streams.close());
          return { streams: await open(), reopen: open, openSecond: open, close };
        },
      }),
    usage: () =>
      testUsageStore({
        name: 'd1',
        create: async () => {
          await empty();
          const { sessions } = new D1StateStore({ database });
          return { usage: new D1UsageStore({ database }), sessions, close: done };
        },
      }),
  };
}

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
