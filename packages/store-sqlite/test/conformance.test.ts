import { createSqlSessionStore, type SqlDriver } from '@helix-agents/store-sql';
import { testSessionStore, testStreamManager, testUsageStore } from '@helix-agents/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../src/connection.ts';
import { openSqlite, type Sqlite, type SqliteStateStore } from '../src/index.ts';

const inFile = { shared: true, persistent: true, serverClock: false, carriesStreams: true };
const inMemory = { shared: false, persistent: false, serverClock: false, carriesStreams: true };

testSessionStore({
  name: 'sqlite',
  capabilities: inFile,
  create: async () => {
    const { first, open, close } = openFile();
    return {
      store: storeOf(first),
      streams: first.streamManager,
      reopen: async () => {
        first.close();
        return storeOf(open());
      },
      openSecond: async () => storeOf(open()),
      close,
    };
  },
});

testSessionStore({
  name: 'sqlite in memory',
  capabilities: inMemory,
  create: async () => {
    const sqlite = openSqlite(':memory:');
    return {
      store: storeOf(sqlite),
      streams: sqlite.streamManager,
      close: async () => sqlite.close(),
    };
  },
});

// As D1 does: what a statement did is only known when the last one is done.
testSessionStore({
  name: 'sqlite, batches that run to their end',
  capabilities: { ...inMemory, carriesStreams: false },
  create: async () => {
    const connection = connect(':memory:');
    const { driver } = connection;
    const unstopped: SqlDriver = {
      ...driver,
      canStop: false,
      batch: (statements, options) => driver.batch(statements, { ...options, stopAtMiss: false }),
    };
    return { store: createSqlSessionStore(unstopped), close: async () => connection.close() };
  },
});

testStreamManager({
  name: 'sqlite',
  capabilities: inFile,
  create: async () => {
    const { first, open, close } = openFile();
    return {
      streams: first.streamManager,
      reopen: async () => {
        first.close();
        return open().streamManager;
      },
      openSecond: async () => open().streamManager,
      close,
    };
  },
});

testStreamManager({
  name: 'sqlite in memory',
  capabilities: inMemory,
  create: async () => {
    const sqlite = openSqlite(':memory:');
    return { streams: sqlite.streamManager, close: async () => sqlite.close() };
  },
});

testUsageStore({
  name: 'sqlite',
  create: async () => {
    const sqlite = openSqlite(':memory:');
    return {
      usage: sqlite.usageStore,
      sessions: sqlite.stateStore.sessions,
      close: async () => sqlite.close(),
    };
  },
});

interface OpenedFile {
  readonly first: Sqlite;
  readonly open: () => Sqlite;
  readonly close: () => Promise<void>;
}

function openFile(): OpenedFile {
  const folder = mkdtempSync(join(tmpdir(), 'helix-sqlite-'));
  const opened: Sqlite[] = [];
  const open = (): Sqlite => {
    const sqlite = openSqlite(join(folder, 'agents.db'), { synchronous: 'normal', pollMs: 5 });
    opened.push(sqlite);
    return sqlite;
  };
  const close = async (): Promise<void> => {
    for (const sqlite of opened) sqlite.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { first: open(), open, close };
}

function storeOf({ stateStore }: Sqlite): SqliteStateStore['sessions'] & SqliteStateStore['index'] {
  return { ...stateStore.sessions, ...stateStore.index };
}
