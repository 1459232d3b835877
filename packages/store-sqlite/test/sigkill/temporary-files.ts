import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A database and a ledger that are gone when the test ends. */
export function temporaryFiles(): { readonly file: string; readonly ledger: string } {
  const folder = mkdtempSync(join(tmpdir(), 'helix-sigkill-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { file: join(folder, 'agents.db'), ledger: join(folder, 'ledger.jsonl') };
}
