import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHelixSkills } from '../src/index.ts';
import { readModule } from '../src/bake/module-text.ts';
import type { SkillDefinition } from '@helix-agents/core';
import { GIT_ENV, openFolder } from './repository.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface LockFile {
  lockfileVersion: number;
  entries: Record<string, unknown>[];
}

/** A project that takes skills, in a folder of its own. */
export interface Project {
  readonly path: string;
  readonly setManifest: (manifest: unknown) => void;
  readonly write: (file: string, text: string) => void;
  readonly read: (file: string) => string;
  /** Every file of the project, with its text. */
  readonly files: () => Record<string, string>;
  readonly lock: () => LockFile;
  readonly skills: () => SkillDefinition[];
  readonly sync: (...args: readonly string[]) => Promise<Ran>;
  readonly syncIn: (env: NodeJS.ProcessEnv, ...args: readonly string[]) => Promise<Ran>;
}

export const LOCK = 'helix.skills.lock';
export const MODULE = 'src/skills.generated.ts';

export function openProject(manifest?: unknown): Project {
  const path = openFolder();
  const write = (file: string, text: string): void => writeFileSync(join(path, file), text);
  const read = (file: string): string => readFileSync(join(path, file), 'utf8');
  const setManifest = (given: unknown): void => write('helix.skills.json', JSON.stringify(given));
  if (manifest !== undefined) setManifest(manifest);
  const syncIn = async (env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ran> => {
    let [stdout, stderr] = ['', ''];
    const code = await runHelixSkills(['sync', ...args], {
      cwd: path,
      env: { ...GIT_ENV, ...env },
      signal: new AbortController().signal,
      stdout: (text) => void (stdout += text),
      stderr: (text) => void (stderr += text),
    });
    return { code, stdout, stderr };
  };
  return {
    path,
    setManifest,
    write,
    read,
    files: () => {
      const names = globSync('**/*', { cwd: path, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      return Object.fromEntries(
        names
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [file, readFileSync(file, 'utf8')]),
      );
    },
    lock: () => JSON.parse(read(LOCK)) as LockFile,
    skills: () => (existsSync(join(path, MODULE)) ? (readModule(read(MODULE)) ?? []) : []),
    sync: (...args) => syncIn({}, ...args),
    syncIn,
  };
}
