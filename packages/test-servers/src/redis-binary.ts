import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ServerUnavailableError } from './errors.ts';

/** Where servers are besides PATH, which may lack the folders of the system's own programs. */
const SYSTEM_FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
const PROGRAMS = ['redis-server', 'valkey-server'];
const INSTALLS_WITHIN_MS = 180_000;

/** The program of a Redis or Valkey server: an installed one, else one that apt installs now. */
export function findRedisBinary(): string {
  const installed = find();
  if (installed !== null) return installed;
  const problem = installWithApt();
  const found = find();
  if (found !== null) return found;
  throw new ServerUnavailableError(
    'redis',
    `TEST_REDIS_URL is not set, neither redis-server nor valkey-server is installed, and ${problem}`,
  );
}

function find(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SYSTEM_FOLDERS];
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

/** Answers what went wrong, for the case that it did. */
function installWithApt(): string {
  if (process.getuid?.() !== 0)
    return 'only root can install one with apt (macOS: brew install redis)';
  return withoutServices(() => {
    const apt = (...args: string[]): string | null => {
      const { status, stderr, error } = spawnSync(
        'apt-get',
        ['-o', 'DPkg::Lock::Timeout=120', '-qq', ...args],
        {
          encoding: 'utf8',
          timeout: INSTALLS_WITHIN_MS,
          env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        },
      );
      return status === 0 ? null : (error?.message ?? stderr);
    };
    const install = (program: string): string | null =>
      apt('install', '-y', '--no-install-recommends', program);
    const problem = install('redis-server');
    if (problem === null) return '';
    apt('update');
    const second = install('redis-server') && install('valkey-server');
    return second === null ? '' : `apt could not install one: ${second}`;
  });
}

/** The packages start a service where they can; a policy that says no keeps them from it. */
function withoutServices<T>(work: () => T): T {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return work();
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}
