import { openDatabase, type SqliteOptions } from './connection.ts';
import { SqliteStateStore } from './sqlite-state-store.ts';
import { SqliteStreamManager } from './sqlite-stream-manager.ts';
import { SqliteUsageStore } from './sqlite-usage-store.ts';

export interface Sqlite {
  readonly stateStore: SqliteStateStore;
  readonly streamManager: SqliteStreamManager;
  readonly usageStore: SqliteUsageStore;
  /** Ends all readers and closes the file. */
  readonly close: () => void;
}

/**
 * Everything an executor stores, in one file and over one connection.
 *
 * @example
 * const { stateStore, streamManager, close } = openSqlite('./agents.db');
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Sqlite {
  const database = openDatabase(path, options);
  const streamManager = new SqliteStreamManager(database, options);
  return {
    stateStore: new SqliteStateStore(database, options),
    streamManager,
    usageStore: new SqliteUsageStore(database, options),
    close: () => {
      streamManager.close();
      if (database.isOpen) database.close();
    },
  };
}
