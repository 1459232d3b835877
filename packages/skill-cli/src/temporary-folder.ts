import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Machines may share a folder for temporary files, and not their processes. */
const PREFIX = `helix-skills-${hostname().replaceAll(/\W/g, '_')}-`;
const NAME = /^helix-skills-(?:\w*-)?(?<pid>\d+)-\w+$/;
const STALE_MS = 24 * 3_600_000;

/** A folder of this process. The caller removes it; what a process left that was killed is removed by the next one. */
export async function openTemporaryFolder(): Promise<string> {
  const names = await readdir(tmpdir()).catch(() => []);
  const left = names.filter((name) => NAME.test(name));
  await Promise.allSettled(left.map((name) => removeStale(name)));
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

async function removeStale(name: string): Promise<void> {
  const folder = join(tmpdir(), name);
  const stats = await lstat(folder);
  const isOurs = process.getuid === undefined || stats.uid === process.getuid();
  if (!stats.isDirectory() || !isOurs) return;
  const pid = Number(NAME.exec(name)?.groups?.['pid']);
  const isDead = name.startsWith(PREFIX) && !isRunning(pid);
  if (!isDead && Date.now() - stats.mtimeMs < STALE_MS) return;
  await rm(folder, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
