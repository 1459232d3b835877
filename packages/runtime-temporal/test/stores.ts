// Stores that several processes share, by an address that fits into an argument of a program.
import { noopLogger, type StateStore, type UsageStore } from '@helix-agents/core';
import type { FullStreamManager } from '@helix-agents/core/store';
import { openPostgres } from '@helix-agents/store-postgres';
import { openRedis } from '@helix-agents/store-redis';
import { openSqlite } from '@helix-agents/store-sqlite';
import { Redis } from 'ioredis';
import pg from 'pg';

export type StoreKind = 'sqlite' | 'postgres' | 'redis';

export interface StoreAddress {
  readonly kind: StoreKind;
  /** Of a server, or the path of a file. */
  readonly url: string;
  /** Of the keys, where there are keys. */
  readonly prefix: string;
}

export interface Stores {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly usageStore: UsageStore;
  readonly close: () => Promise<void>;
}

/** `clock: 'caller'` is for scenarios that skip hours: rows have the times that they are given. */
export function openStores(
  { kind, url, prefix }: StoreAddress,
  clock: 'server' | 'caller' = 'server',
): Stores {
  switch (kind) {
    case 'sqlite': {
      const { close, ...stores } = openSqlite(url, { pollMs: 20 });
      return { ...stores, close: async () => close() };
    }
    case 'postgres': {
      const pool = new pg.Pool({ connectionString: url, max: 4 });
      // A server that goes away breaks idle connections, which must not end the process.
      pool.on('error', () => {});
      const { close, ...stores } = openPostgres(pool, { clock, pollMs: 20 });
      return {
        ...stores,
        async close() {
          close();
          await pool.end();
        },
      };
    }
    case 'redis': {
      const client = new Redis(url);
      const { close, ...stores } = openRedis(client, { prefix, clock, logger: noopLogger });
      return {
        ...stores,
        async close() {
          close();
          client.disconnect();
        },
      };
    }
  }
}
