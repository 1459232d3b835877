import type { StateStore, StreamManager } from '@helix-agents/core';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { openSqlite } from '@helix-agents/store-sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Stores {
  readonly stateStore: StateStore;
  readonly streamManager: StreamManager;
  readonly close: () => void;
}

export type Sync = 'full' | 'normal';

const made: string[] = [];
process.on('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** A directory that is gone when the process ends. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'helix-bench-'));
  made.push(directory);
  return directory;
}

export function memoryStores(): Stores {
  const database = new MemoryDatabase();
  return {
    stateStore: new InMemoryStateStore({ database }),
    streamManager: new InMemoryStreamManager({ database }),
    close: () => database.clear(),
  };
}

export function sqliteStores(sync: Sync, path: string = join(scratch(), 'agents.db')): Stores {
  return openSqlite(path, { synchronous: sync });
}
