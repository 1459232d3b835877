import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import { errorMessage } from '@helix-agents/core';
import { SkillSyncError } from './errors.ts';

/** The text of a file; null where there is none. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return null;
    const why =
      code === 'EISDIR'
        ? 'it is a folder'
        : code === 'ENOTDIR'
          ? 'a part of its path is no folder'
          : errorMessage(error);
    throw new SkillSyncError(
      'skills_write_failed',
      `${file} cannot be used: ${why}. Name another file.`,
      error,
    );
  }
}

/** Replaces a file as a whole: a reader sees the old text or the new one. One that has this text already is left alone. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const written = `${file}.${randomUUID()}.tmp`;
  try {
    if ((await readIfThere(file)) === text) return;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(written, text, { flag: 'wx' });
    await rename(written, file);
  } catch (cause) {
    if (SkillSyncError.isInstance(cause)) throw cause;
    await rm(written, { force: true });
    throw new SkillSyncError(
      'skills_write_failed',
      `${file} cannot be written: ${errorMessage(cause)}`,
      cause,
    );
  }
}
