import { errorMessage } from '@helix-agents/core';
import { SkillSyncError } from './errors.ts';
import { visible } from './visible.ts';

/** A state of a repository that was taken. */
export interface LockedSource {
  readonly url: string;
  /** In full; the commit id itself where the manifest names one. */
  readonly ref: string;
  readonly commit: string;
}

/** What one entry of the manifest came to. */
export interface LockEntry extends LockedSource {
  readonly source: 'git' | 'claude-marketplace';
  readonly skillsDir?: string;
  readonly plugin?: string;
  /** The repository of the plugin, where it is not the marketplace's. */
  readonly pluginSource?: LockedSource;
  /** One hash over every file of the skills. */
  readonly integrity: string;
  readonly skills: readonly string[];
}

const VERSION = 1;
const COMMIT = /^[0-9a-f]{40}$/;

/** The same entries give the same bytes: sorted, without times. */
export function renderLock(entries: readonly LockEntry[]): string {
  const sorted = entries.map(inOrder).toSorted((a, b) => (lockKey(a) < lockKey(b) ? -1 : 1));
  return `${JSON.stringify({ lockfileVersion: VERSION, entries: sorted }, null, 2)}\n`;
}

export function parseLock(text: string, file: string): LockEntry[] {
  let lock: unknown;
  try {
    lock = JSON.parse(text.replace(/^\u{feff}/u, ''));
  } catch (cause) {
    throw invalid(file, `is no JSON: ${visible(errorMessage(cause))}`);
  }
  const { lockfileVersion, entries } = fieldsOf(lock);
  if (lockfileVersion !== VERSION) {
    throw invalid(
      file,
      `has lockfileVersion ${visible(JSON.stringify(lockfileVersion) ?? 'none')}; this version of helix-skills reads ${VERSION}`,
    );
  }
  if (!Array.isArray(entries)) throw invalid(file, 'has no list `entries`');
  return entries.map((entry: unknown, index) => {
    if (isLockEntry(entry)) return inOrder(entry);
    throw invalid(file, `has an entry that is none: entries[${index}]`);
  });
}

/** What an entry is found by: the place and the state that the manifest names. */
export function lockKey({
  source,
  url,
  skillsDir,
  plugin,
  ref,
}: Omit<LockEntry, 'commit' | 'integrity' | 'skills'>): string {
  return JSON.stringify([url, source, skillsDir ?? plugin, ref]);
}

function inOrder(entry: LockEntry): LockEntry {
  const { source, url, ref, commit, skillsDir, plugin, pluginSource, integrity, skills } = entry;
  return {
    source,
    url,
    ...(skillsDir !== undefined && { skillsDir }),
    ...(plugin !== undefined && { plugin }),
    ref,
    commit,
    ...(pluginSource && {
      pluginSource: { url: pluginSource.url, ref: pluginSource.ref, commit: pluginSource.commit },
    }),
    integrity,
    skills: skills.toSorted(),
  };
}

function isLockEntry(value: unknown): value is LockEntry {
  const { source, skillsDir, plugin, pluginSource, integrity, skills } = fieldsOf(value);
  const place = source === 'git' ? skillsDir : source === 'claude-marketplace' ? plugin : undefined;
  return (
    isLockedSource(value) &&
    typeof place === 'string' &&
    (pluginSource === undefined || isLockedSource(pluginSource)) &&
    typeof integrity === 'string' &&
    Array.isArray(skills) &&
    skills.every((name) => typeof name === 'string')
  );
}

function isLockedSource(value: unknown): value is LockedSource {
  const { url, ref, commit } = fieldsOf(value);
  return (
    typeof url === 'string' &&
    typeof ref === 'string' &&
    typeof commit === 'string' &&
    COMMIT.test(commit)
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function invalid(file: string, what: string): SkillSyncError {
  return new SkillSyncError(
    'skills_lock_invalid',
    `${file} ${what}. Restore it from version control, or delete it and sync again.`,
  );
}
