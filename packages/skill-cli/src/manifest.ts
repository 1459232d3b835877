import { DefinitionError, errorMessage } from '@helix-agents/core';
import { refuseUnknownOptions } from '@helix-agents/core/host';
import { SkillSyncError } from './errors.ts';
import { repositoryPath } from './git/read-tree.ts';
import { isRefName } from './git/resolve-ref.ts';
import { transportOf } from './git/source-url.ts';
import { DEFAULT_LIMITS, type SyncLimits } from './limits.ts';
import { visible } from './visible.ts';

interface EntryBase {
  readonly url: string;
  /** A branch or a tag. Without `ref`, `version` and `sha`: the branch that HEAD of the repository points to. */
  readonly ref?: string;
  /** `1.2.0` is the tag `v1.2.0` or `1.2.0`. */
  readonly version?: string;
  /** A whole commit id. */
  readonly sha?: string;
  /** Names of the skills to take. Without it: all. */
  readonly include?: readonly string[];
}

/** Skills of a repository: the folders in `skillsDir` that have a `SKILL.md`. */
export interface GitEntry extends EntryBase {
  readonly source: 'git';
  /** `skills` unless given; `.` is the top of the repository. */
  readonly skillsDir?: string;
}

/** Skills of a plugin that a repository lists in `.claude-plugin/marketplace.json`. */
export interface MarketplaceEntry extends EntryBase {
  readonly source: 'claude-marketplace';
  readonly plugin: string;
}

export type ManifestEntry = GitEntry | MarketplaceEntry;

/** `helix.skills.json`. */
export interface SkillsManifest {
  readonly skills: readonly ManifestEntry[];
  readonly limits?: Partial<SyncLimits>;
}

export const DEFAULT_SKILLS_DIR = 'skills';

const MANIFEST_KEYS = { $schema: true, skills: true, limits: true };
const LIMIT_KEYS = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((key) => [key, true]));
const BASE_KEYS = { source: true, url: true, ref: true, version: true, sha: true, include: true };
const ENTRY_KEYS = {
  git: { ...BASE_KEYS, skillsDir: true },
  'claude-marketplace': { ...BASE_KEYS, plugin: true },
};

/** Checks the text of a manifest once; everything after it may trust the result. */
export function parseManifest(text: string, file: string): SkillsManifest {
  try {
    const manifest = asObject(JSON.parse(text.replace(/^\u{feff}/u, '')), 'the manifest');
    refuseUnknownOptions('the manifest', manifest, { of: 'a manifest', known: MANIFEST_KEYS });
    const { skills, limits } = manifest;
    if (!Array.isArray(skills) || skills.length === 0) {
      throw new DefinitionError('`skills` must be a list with at least one source');
    }
    const entries = skills.map((entry: unknown, index) => parseEntry(entry, `skills[${index}]`));
    refuseTwice(entries);
    return { skills: entries, ...(limits !== undefined && { limits: parseLimits(limits) }) };
  } catch (cause) {
    const why = visible(errorMessage(cause));
    throw new SkillSyncError('skills_manifest_invalid', `${file}: ${why}`, cause);
  }
}

function parseEntry(given: unknown, at: string): ManifestEntry {
  const entry = asObject(given, at);
  const { source } = entry;
  if (source !== 'git' && source !== 'claude-marketplace') {
    throw new DefinitionError(`${at}: \`source\` must be "git" or "claude-marketplace"`);
  }
  refuseUnknownOptions(at, entry, { of: `a source "${source}"`, known: ENTRY_KEYS[source] });
  const base = parseBase(entry, at);
  if (source === 'claude-marketplace') {
    const plugin = optionalText(entry, 'plugin', at);
    if (plugin === undefined) throw new DefinitionError(`${at}: \`plugin\` must name a plugin`);
    return { source, ...base, plugin };
  }
  const skillsDir = repositoryPath(optionalText(entry, 'skillsDir', at) ?? DEFAULT_SKILLS_DIR);
  if (skillsDir === null)
    throw new DefinitionError(`${at}: \`skillsDir\` must be a folder inside of the repository`);
  return { source, ...base, skillsDir };
}

function parseBase(entry: Record<string, unknown>, at: string): EntryBase {
  const url = optionalText(entry, 'url', at);
  if (url === undefined)
    throw new DefinitionError(`${at}: \`url\` must be the address of a repository`);
  transportOf(url);
  const ref = optionalText(entry, 'ref', at);
  const version = optionalText(entry, 'version', at);
  const sha = optionalText(entry, 'sha', at);
  if (ref !== undefined && version !== undefined) {
    throw new DefinitionError(`${at}: give \`ref\` or \`version\`, not both`);
  }
  for (const name of [ref, version]) {
    if (name !== undefined && !isRefName(name)) {
      throw new DefinitionError(
        `${at}: ${JSON.stringify(name)} cannot be the name of a branch or tag`,
      );
    }
  }
  if (sha !== undefined && !/^[0-9a-f]{40}$/.test(sha)) {
    throw new DefinitionError(`${at}: \`sha\` must be a whole commit id, 40 hex digits`);
  }
  const include = parseInclude(entry['include'], at);
  return {
    url,
    ...(ref !== undefined && { ref }),
    ...(version !== undefined && { version }),
    ...(sha !== undefined && { sha }),
    ...(include && { include }),
  };
}

function parseInclude(given: unknown, at: string): string[] | undefined {
  if (given === undefined) return undefined;
  const isList = Array.isArray(given) && given.length > 0;
  if (!isList || !given.every((name): name is string => typeof name === 'string' && name !== '')) {
    throw new DefinitionError(`${at}: \`include\` must be a list of names of skills`);
  }
  return [...new Set(given)].toSorted();
}

function parseLimits(given: unknown): Partial<SyncLimits> {
  const limits = asObject(given, '`limits`');
  refuseUnknownOptions('the manifest', limits, { of: '`limits`', known: LIMIT_KEYS });
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || Number(value) <= 0 || Number(value) > 2 ** 31 - 1) {
      throw new DefinitionError(`\`limits.${name}\` must be a whole number from 1 to 2147483647`);
    }
  }
  return limits;
}

/** Of one place and state there is one lock entry. */
function refuseTwice(entries: readonly ManifestEntry[]): void {
  const seen = new Set<string>();
  for (const { include: _, ...entry } of entries) {
    // Parsed entries have their keys in one order.
    const key = JSON.stringify(entry);
    if (seen.has(key)) {
      throw new DefinitionError(`${entry.url} is listed twice; put the names into one \`include\``);
    }
    seen.add(key);
  }
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new DefinitionError(`${what} must be an object`);
}

function optionalText(entry: Record<string, unknown>, key: string, at: string): string | undefined {
  const value = entry[key];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new DefinitionError(`${at}: \`${key}\` must be a text`);
}
