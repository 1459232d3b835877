import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ServerUnavailableError } from './errors.ts';
import { buildTemporal, downloadTemporal, TEMPORAL_VERSION } from './obtain-temporal.ts';

/** Puts the program into a folder as `temporal`, and tells how far it is. Throws what stood in the way. */
export type Obtain = (folder: string, report: (text: string) => void) => Promise<void>;

export interface TemporalSources {
  /** Ways to get the program, the best first. */
  readonly ways: readonly Obtain[];
  readonly report: (text: string) => void;
}

const DEFAULT_SOURCES: TemporalSources = {
  ways: [downloadTemporal, buildTemporal],
  report: (text) => process.stderr.write(`temporal: ${text}\n`),
};

/** The `temporal` program: the one on PATH, else one that was kept, else the official download, else one that Go builds (minutes). */
export async function findTemporalBinary({
  ways,
  report,
}: TemporalSources = DEFAULT_SOURCES): Promise<string> {
  const cache = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    'helix-agents',
    `temporal-${TEMPORAL_VERSION}`,
  );
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = [...folders, cache].map((folder) => join(folder, 'temporal')).find(isExecutable);
  if (found !== undefined) return found;
  const failures: string[] = [];
  for (const obtain of ways) {
    try {
      return await keep(cache, (folder) => obtain(folder, report));
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
      report(failures.at(-1) ?? '');
    }
  }
  throw new ServerUnavailableError(
    'temporal',
    `there is no TEMPORAL_ADDRESS, no \`temporal\` on PATH, and none could be had: ${failures.join('; ')}`,
  );
}

/** The program appears in the cache whole: another process may look for it meanwhile. */
async function keep(cache: string, obtain: (folder: string) => Promise<void>): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'new-'));
  try {
    await obtain(folder);
    renameSync(join(folder, 'temporal'), join(cache, 'temporal'));
    return join(cache, 'temporal');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
