/**
 * Module and lock belong together: several syncs in one folder must not leave the module of one beside the lock of another. One
 * writes at a time, and only over the files that it read in the beginning: what it decided was decided by them.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorMessage } from '@helix-agents/core';
import { SkillSyncError } from './errors.ts';
import { readIfThere, replaceFile } from './write-file.ts';

interface Files {
  readonly out: string;
  readonly lock: string;
}

/** What the files had when the sync began. */
interface Before {
  readonly moduleText: string | null;
  readonly lockText: string | null;
}

interface Texts {
  readonly module: string;
  readonly lock: string;
}

/** Writing takes milliseconds. */
const WAIT_MS = 50;
const MOST_WAITS = 40;

/** Writes both files, or neither where another sync wrote something else meanwhile. */
export async function writeTogether(files: Files, before: Before, texts: Texts): Promise<void> {
  if (before.moduleText === texts.module && before.lockText === texts.lock) return;
  await oneAtATime(`${files.lock}.writing`, async () => {
    const [module, lock] = await Promise.all([readIfThere(files.out), readIfThere(files.lock)]);
    if (module === texts.module && lock === texts.lock) return;
    if (module !== before.moduleText || lock !== before.lockText) throw changed(files);
    await replaceFile(files.out, texts.module);
    await replaceFile(files.lock, texts.lock);
  });
}

/** The file `mark` is there while somebody works. */
async function oneAtATime(mark: string, work: () => Promise<void>): Promise<void> {
  for (let waits = 0; !(await create(mark)); waits += 1) {
    if (waits === MOST_WAITS) throw busy(mark);
    await setTimeout(WAIT_MS);
  }
  try {
    await work();
  } finally {
    await rm(mark, { force: true });
  }
}

/** False where it is there already. */
async function create(mark: string): Promise<boolean> {
  try {
    await mkdir(dirname(mark), { recursive: true });
    await writeFile(mark, '', { flag: 'wx' });
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false;
    const message = `${mark} cannot be written: ${errorMessage(cause)}`;
    throw new SkillSyncError('skills_write_failed', message, cause);
  }
}

function changed({ out, lock }: Files): SkillSyncError {
  return new SkillSyncError(
    'skills_write_failed',
    `${lock} or ${out} was changed while this sync ran, and nothing was written. Run it again.`,
  );
}

function busy(mark: string): SkillSyncError {
  return new SkillSyncError(
    'skills_write_failed',
    `${mark} is there: another sync writes now, or one was killed while it wrote. Run it again; if no other runs, delete this file first.`,
  );
}
