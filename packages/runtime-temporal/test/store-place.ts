import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase, createRedisSpace } from '@helix-agents/test-servers';
import type { StoreAddress, StoreKind } from './stores.ts';

/** An empty store, and how to be rid of it. */
export interface StorePlace {
  readonly address: StoreAddress;
  readonly drop: () => Promise<void>;
}

export async function newStorePlace(kind: StoreKind): Promise<StorePlace> {
  switch (kind) {
    case 'sqlite': {
      const folder = mkdtempSync(join(tmpdir(), 'helix-temporal-'));
      const drop = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
      return { address: { kind, url: join(folder, 'agents.db'), prefix: '' }, drop };
    }
    case 'postgres': {
      const { url, drop } = await createPostgresDatabase();
      return { address: { kind, url, prefix: '' }, drop };
    }
    case 'redis': {
      const { url, prefix, drop } = await createRedisSpace();
      return { address: { kind, url, prefix }, drop };
    }
  }
}
