import { rm } from 'node:fs/promises';
import { errorMessage, type SkillDefinition } from '@helix-agents/core';
import { isOwnModule, readModule, renderModule } from './bake/module-text.ts';
import { diffSkills } from './diff-skills.ts';
import { SkillSyncError } from './errors.ts';
import { prepareGit } from './git/snapshot.ts';
import { DEFAULT_LIMITS, type SyncLimits } from './limits.ts';
import { loadEntry, type LoadContext, type LoadedEntry } from './load-entry.ts';
import { lockKey, parseLock, renderLock } from './lock.ts';
import { parseManifest, type ManifestEntry } from './manifest.ts';
import { openTemporaryFolder } from './temporary-folder.ts';
import { readIfThere } from './write-file.ts';
import { writeTogether } from './write-together.ts';

const AT_ONCE = 4;

/** Files are absolute paths. */
export interface SyncOptions {
  readonly manifest: string;
  readonly out: string;
  readonly lock: string;
  /** Only compares: nothing is written. */
  readonly check: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** How often a slow fetch says how far it is. */
  readonly progressEveryMs: number;
  /** Lines about the work while it goes on. */
  readonly tell: (line: string) => void;
}

export interface SyncReport {
  /** Names of the skills in the module. */
  readonly skills: readonly string[];
  /** What changed since the last sync, line by line; empty at the first one. */
  readonly diff: readonly string[];
  readonly warnings: readonly string[];
}

/** Brings the generated module and the lock file to what the manifest names; with `check`, fails where they are not. */
export async function syncSkills(options: SyncOptions): Promise<SyncReport> {
  const manifest = parseManifest(await readManifest(options.manifest), options.manifest);
  const limits = { ...DEFAULT_LIMITS, ...manifest.limits };
  const lockText = await readIfThere(options.lock);
  if (lockText === null && options.check) throw outOfDate(`${options.lock} is missing`);
  const locked = lockText === null ? [] : parseLock(lockText, options.lock);
  const moduleText = await readIfThere(options.out);
  if (moduleText !== null && !options.check) refuseForeign(options.out, moduleText);
  const folder = await openTemporaryFolder();
  try {
    const base = { ...options, folder, limits, isCheck: options.check };
    const context: LoadContext = {
      ...base,
      locked: new Map(locked.map((entry) => [lockKey(entry), entry])),
      git: await prepareGit(base),
      resolved: new Map(),
      snapshots: new Map(),
    };
    const loaded = await loadAll(context, manifest.skills);
    const result = compose(loaded, options.out, limits);
    const before = moduleText === null ? null : readModule(moduleText);
    const diff = before ? await diffSkills(context.git, before, result.skills) : [];
    if (options.check) compare({ ...result, moduleText, lockText, diff }, options);
    else await writeTogether(options, { moduleText, lockText }, result);
    return { skills: result.skills.map(({ name }) => name), diff, warnings: result.warnings };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A mistake in `--out` would cost a file that nobody can get back. */
function refuseForeign(file: string, text: string): void {
  if (isOwnModule(text)) return;
  throw new SkillSyncError(
    'skills_write_failed',
    `${file} was not written by \`helix-skills sync\` and is not replaced. Name another file with --out, or remove this one.`,
  );
}

/** A few at once. All that were begun have ended when it throws: nothing works on files that are being removed. */
async function loadAll(
  context: LoadContext,
  entries: readonly ManifestEntry[],
): Promise<LoadedEntry[]> {
  const loaded: LoadedEntry[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const part = entries.slice(at, at + AT_ONCE).map((entry) => loadEntry(context, entry));
    for (const one of await Promise.allSettled(part)) {
      if (one.status === 'rejected') throw one.reason;
      loaded.push(one.value);
    }
  }
  return loaded;
}

interface Composed {
  readonly skills: readonly SkillDefinition[];
  readonly module: string;
  readonly lock: string;
  readonly warnings: readonly string[];
}

function compose(loaded: readonly LoadedEntry[], out: string, limits: SyncLimits): Composed {
  const skills = loaded
    .flatMap((entry) => entry.skills)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  refuseTwice(loaded);
  const module = renderModule(skills, /\.m?ts$/.test(out));
  const bytes = Buffer.byteLength(module);
  if (bytes > limits.moduleBytes) throw tooLarge(skills, bytes, limits.moduleBytes);
  const lock = renderLock(loaded.map((entry) => entry.lock));
  return { skills, module, lock, warnings: loaded.flatMap((entry) => entry.warnings) };
}

function refuseTwice(loaded: readonly LoadedEntry[]): void {
  const seen = new Map<string, string>();
  for (const { skills, lock } of loaded) {
    for (const { name } of skills) {
      const other = seen.get(name);
      if (other !== undefined) {
        throw new SkillSyncError(
          'skills_content_invalid',
          `${other} and ${lock.url} both have a skill "${name}". Choose one of them with \`include\`.`,
        );
      }
      seen.set(name, lock.url);
    }
  }
}

function compare(
  found: Composed & { moduleText: string | null; lockText: string | null; diff: readonly string[] },
  { lock, out }: SyncOptions,
): void {
  if (plain(found.lockText) !== found.lock)
    throw outOfDate(`${lock} is not what the manifest and its commits give`);
  if (found.moduleText === null) throw outOfDate(`${out} is missing`);
  if (plain(found.moduleText) === found.module) return;
  throw outOfDate([`${out} is not what the lock file gives`, ...found.diff].join('\n'));
}

/** A checkout on Windows may have changed the line ends. */
function plain(text: string | null): string | undefined {
  return text?.replaceAll('\r\n', '\n');
}

async function readManifest(file: string): Promise<string> {
  const text = await readIfThere(file).catch((cause: unknown) => {
    throw new SkillSyncError('skills_manifest_invalid', `${file}: ${errorMessage(cause)}`, cause);
  });
  if (text !== null) return text;
  throw new SkillSyncError(
    'skills_manifest_invalid',
    `${file} does not exist. Write one, as in {"skills": [{"source": "git", "url": "https://…", "ref": "v1.0.0"}]}, or name another with --manifest.`,
  );
}

function outOfDate(what: string): SkillSyncError {
  const [first = '', ...more] = what.split('\n');
  return new SkillSyncError(
    'skills_out_of_date',
    [`${first}. Run \`helix-skills sync\`.`, ...more].join('\n'),
  );
}

function tooLarge(
  skills: readonly SkillDefinition[],
  bytes: number,
  limit: number,
): SkillSyncError {
  const sizes = skills
    .map((skill) => ({ name: skill.name, size: Buffer.byteLength(JSON.stringify(skill)) }))
    .toSorted((a, b) => b.size - a.size);
  const list = sizes.slice(0, 20).map(({ name, size }) => `  ${name}: ${size}`);
  const first = `The module has ${bytes} bytes; it may have ${limit} (\`limits.moduleBytes\`). Choose fewer skills with \`include\`. The largest are:`;
  return new SkillSyncError('skills_limit_exceeded', [first, ...list].join('\n'));
}
