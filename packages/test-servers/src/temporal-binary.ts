import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ServerUnavailableError } from './errors.ts';

const VERSION = '1.5.1';
const MODULE = `github.com/temporalio/cli/cmd/temporal@v${VERSION}`;

/** The `temporal` program: the one on PATH, else one that Go built before, else one that Go builds now (minutes). */
export async function findTemporalBinary(): Promise<string> {
  const cache = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    'helix-agents',
    `temporal-${VERSION}`,
  );
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = [...folders, cache].map((folder) => join(folder, 'temporal')).find(isExecutable);
  return found ?? build(cache);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function build(cache: string): Promise<string> {
  mkdirSync(cache, { recursive: true });
  process.stderr.write(`building ${MODULE} with Go, once, into ${cache}: this takes minutes\n`);
  const said: string[] = [];
  const go = spawn('go', ['install', MODULE], {
    cwd: cache,
    env: { ...process.env, CGO_ENABLED: '0', GOBIN: cache },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  go.stderr.on('data', (text: Buffer) => said.push(text.toString()));
  const failure = await new Promise<string | null>((resolve) => {
    go.once('error', (error) => resolve(error.message));
    go.once('close', (code) => resolve(code === 0 ? null : said.join('').slice(-2_000)));
  });
  if (failure === null) return join(cache, 'temporal');
  throw new ServerUnavailableError(
    'temporal',
    `there is no TEMPORAL_ADDRESS, no \`temporal\` on PATH, and Go could not build it: ${failure}`,
  );
}
