import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A file that is open, or why it is not. */
export type Opened<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly reason: Refusal };

type Refusal = 'missing' | 'outside' | 'hidden' | 'not-a-file' | 'unreadable';

/** Neither waits for the other end of a pipe nor takes a terminal. Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Where a skill is. */
export interface SkillFolder {
  /** The real path of its root. */
  readonly root: string;
  readonly folder: string;
}

/**
 * Uses a file of a skill if what was opened is a regular file inside of the root. The check comes after opening and is about the
 * open file, so on Linux nobody can change a folder into a link in between. Links that stay inside are followed, but not to
 * what is hidden there, such as `.git` or `.env`.
 */
export async function openInside<Result>(
  { root, folder }: SkillFolder,
  below: string,
  use: (file: FileHandle, stats: Stats) => Promise<Result>,
): Promise<Opened<Result>> {
  const path = join(folder, below);
  let file: FileHandle;
  try {
    file = await open(path, FLAGS);
  } catch (error) {
    return { ok: false, reason: isMissing(error) ? 'missing' : 'unreadable' };
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { ok: false, reason: 'not-a-file' };
    const real = await realPathOf(file, path);
    if (real === null || !isInside(root, real)) return { ok: false, reason: 'outside' };
    if (await isHidden({ root, folder }, real)) return { ok: false, reason: 'hidden' };
    return { ok: true, value: await use(file, stats) };
  } catch {
    return { ok: false, reason: 'unreadable' };
  } finally {
    await file.close();
  }
}

export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function isInside(root: string, real: string): boolean {
  return real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Seen from the root. The folder of a skill may itself be a link into a hidden one: then seen from where it leads. */
async function isHidden({ root, folder }: SkillFolder, real: string): Promise<boolean> {
  if (!hasHiddenPart(root, real)) return false;
  const realFolder = await realpath(folder);
  return !isInside(realFolder, real) || hasHiddenPart(realFolder, real);
}

function hasHiddenPart(from: string, real: string): boolean {
  return real
    .slice(from.length)
    .split(sep)
    .some((part) => part.startsWith('.'));
}

/**
 * Where an open file is. Linux says it of the open file itself. Elsewhere the path is followed again and has to lead to the very
 * same file; a process that changes folders into links at the right moments, twice, can get past that.
 */
async function realPathOf(file: FileHandle, path: string): Promise<string | null> {
  if (process.platform === 'linux') {
    try {
      return await readlink(`/proc/self/fd/${file.fd}`);
    } catch {
      // No /proc: as elsewhere.
    }
  }
  const real = await realpath(path);
  const [opened, found] = await Promise.all([
    file.stat({ bigint: true }),
    stat(real, { bigint: true }),
  ]);
  return opened.ino === found.ino && opened.dev === found.dev ? real : null;
}
