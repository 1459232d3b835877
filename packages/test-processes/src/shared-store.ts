import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { StoreAddress } from './store-address.ts';

/** How each test gets an empty store that several processes can open. */
export interface SharedStoreOptions {
  readonly name: string;
  create(): Promise<{ readonly address: StoreAddress; readonly close: () => Promise<void> }>;
}

/** An empty store and a ledger that are gone when the test ends. */
export async function newStore(
  options: SharedStoreOptions,
): Promise<{ readonly address: StoreAddress; readonly ledger: string }> {
  const { address, close } = await options.create();
  const folder = mkdtempSync(join(tmpdir(), 'helix-ledger-'));
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { address, ledger: join(folder, 'ledger.jsonl') };
}
