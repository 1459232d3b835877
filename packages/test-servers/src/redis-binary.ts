import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ServerUnavailableError } from './errors.ts';

/** Where servers are besides PATH, which may lack the folders of the system's own programs. */
const SYSTEM_FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
const PROGRAMS = ['redis-server', 'valkey-server'];
const INSTALLS_WITHIN_MS = 1_800_000;

export interface RedisBinaryOptions {
  /** Where to look behind PATH. */
  readonly systemFolders?: readonly string[];
  /** Answers what went wrong, for the case that it did. */
  readonly install?: () => Promise<string>;
}

/** The program of a Redis or Valkey server: an installed one, else one that apt installs now. */
export async function findRedisBinary({
  systemFolders = SYSTEM_FOLDERS,
  install = installWithApt,
}: RedisBinaryOptions = {}): Promise<string> {
  const installed = find(systemFolders);
  if (installed !== null) return installed;
  const problem = await install();
  const found = find(systemFolders);
  if (found !== null) return found;
  throw new ServerUnavailableError(
    'redis',
    `TEST_REDIS_URL is not set, neither redis-server nor valkey-server is installed, and ${problem}`,
  );
}

function find(systemFolders: readonly string[]): string | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [...onPath, ...systemFolders];
  const places = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  return places.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function installWithApt(): Promise<string> {
  if (process.getuid?.() !== 0)
    return 'only root can install one with apt (macOS: brew install redis)';
  return withoutServices(async () => {
    const install = (program: string): Promise<string | null> =>
      apt('install', '-y', '--no-install-recommends', program);
    if ((await install('redis-server')) === null) return '';
    await apt('update');
    const problem = (await install('redis-server')) && (await install('valkey-server'));
    return problem === null ? '' : `apt could not install one: ${problem}`;
  });
}

/** Returns what went wrong, or null. Does not block the event loop, which other tests share. */
async function apt(...args: string[]): Promise<string | null> {
  try {
    await promisify(execFile)('apt-get', ['-o', 'DPkg::Lock::Timeout=120', '-qq', ...args], {
      timeout: INSTALLS_WITHIN_MS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The packages start a service where they can; a policy that says no keeps them from it. */
async function withoutServices<T>(work: () => Promise<T>): Promise<T> {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}
