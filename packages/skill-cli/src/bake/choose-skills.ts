import { MAX_SKILL_FILE_BYTES, parseSkillFile, type SkillDefinition } from '@helix-agents/core';
import type { Snapshot } from '../git/snapshot.ts';
import type { SyncLimits } from '../limits.ts';
import {
  below,
  folderName,
  SKILL_FILE,
  type FoundFolders,
  type SkillFolder,
} from '../sources/skill-folders.ts';
import { visible } from '../visible.ts';
import type { Findings } from './findings.ts';
import { readFiles, type FileContent } from './read-files.ts';

export interface Chosen {
  readonly folder: SkillFolder;
  /** Without the files beside its `SKILL.md`. */
  readonly definition: SkillDefinition;
}

export interface Choice {
  /** Names of the skills that were asked for; undefined: all. */
  readonly include: readonly string[] | undefined;
  /** Names of the skills that the last sync took. */
  readonly locked: readonly string[];
  readonly limits: SyncLimits;
}

/** What a folder turned out to be. The name of one that cannot be read is that of its folder. */
type Candidate =
  | (Chosen & { readonly kind: 'skill'; readonly name: string; readonly warnings: string[] })
  | {
      readonly kind: 'broken' | 'too-large';
      readonly name: string | undefined;
      readonly reason: string;
    };

/**
 * Reads every `SKILL.md`, since a skill is chosen by the name it gives itself. One that cannot be read is skipped with a warning.
 * It is a problem if it was asked for, if the last sync took it, or if it is too large.
 */
export async function chooseSkills(
  snapshot: Snapshot,
  found: FoundFolders,
  { include, locked, limits }: Choice,
  findings: Findings,
): Promise<Chosen[]> {
  const candidates = await readCandidates(snapshot, found, limits);
  const chosen: Chosen[] = [];
  const sound = new Set<string | undefined>(
    candidates.flatMap(({ kind, name }) => (kind === 'skill' ? [name] : [])),
  );
  const wanted = new Set<string | undefined>(include ?? locked);
  const missing = new Set(wanted);
  for (const candidate of candidates) {
    const { kind, name } = candidate;
    if (include && !wanted.has(name)) continue;
    missing.delete(name);
    if (kind === 'skill') {
      findings.warn(...candidate.warnings);
      chosen.push(candidate);
    } else if (kind === 'too-large') findings.tooLarge(candidate.reason);
    else if (sound.has(name) || !wanted.has(name)) findings.warn(`${candidate.reason}: skipped`);
    else findings.invalid(`${candidate.reason}${include ? '' : IS_LOCKED}`);
  }
  for (const name of missing) {
    if (include) findings.invalid(notThere(name ?? '', found.folders));
    else
      findings.warn(
        `the skill "${visible(name ?? '')}" is in the lock file and not there any more`,
      );
  }
  reportTwice(chosen, findings);
  return chosen;
}

const IS_LOCKED =
  '. The last sync took this skill: choose others with `include`, or delete the entry from the lock file, to go on without it.';

async function readCandidates(
  snapshot: Snapshot,
  { folders, skipped }: FoundFolders,
  { fileBytes }: SyncLimits,
): Promise<Candidate[]> {
  const heads = folders.map((folder) => ({ folder, file: headOf(folder) }));
  const files = heads.flatMap(({ file }) => (file.size <= MAX_SKILL_FILE_BYTES ? [file] : []));
  const { contents } = await readFiles(snapshot, files, MAX_SKILL_FILE_BYTES);
  const read = heads.map(({ folder, file }): Candidate => {
    if (file.size <= MAX_SKILL_FILE_BYTES)
      return toCandidate(folder, file.path, contents.get(file.path));
    const most =
      fileBytes < MAX_SKILL_FILE_BYTES
        ? `a text may have ${fileBytes} (\`limits.fileBytes\`)`
        : `a ${SKILL_FILE} may have ${MAX_SKILL_FILE_BYTES}`;
    const reason = `${visible(file.path)} has ${file.size} bytes; ${most}.`;
    return { kind: 'too-large', name: folderName(folder.path), reason };
  });
  const broken = skipped.map(({ path, reason }): Candidate => {
    return { kind: 'broken', name: folderName(path), reason };
  });
  return [...broken, ...read];
}

function headOf({ path, files }: SkillFolder): SkillFolder['files'][number] {
  const head = files.find((file) => file.path === below(path, SKILL_FILE));
  if (head) return head;
  throw new TypeError(`${path} has no ${SKILL_FILE}`);
}

function toCandidate(
  folder: SkillFolder,
  path: string,
  content: FileContent | undefined,
): Candidate {
  const directory = folderName(folder.path);
  const options = { lenient: true, ...(directory !== undefined && { directory }) };
  const parsed =
    content?.kind === 'text'
      ? parseSkillFile(content.text, options)
      : { ok: false as const, reason: 'it is no UTF-8 text' };
  const told = (text: string): string => `${visible(path)}: ${visible(text)}`;
  if (!parsed.ok) return { kind: 'broken', name: directory, reason: told(parsed.reason) };
  const { skill, warnings } = parsed;
  return {
    kind: 'skill',
    name: skill.name,
    folder,
    definition: skill,
    warnings: warnings.map(told),
  };
}

function notThere(name: string, folders: readonly SkillFolder[]): string {
  const there = folders.slice(0, 50).map(({ path }) => visible(folderName(path) ?? '.'));
  return `There is no skill "${visible(name)}", which \`include\` names. The folders are: ${there.join(', ')}`;
}

function reportTwice(chosen: readonly Chosen[], findings: Findings): void {
  const seen = new Map<string, string>();
  for (const { folder, definition } of chosen) {
    const other = seen.get(definition.name);
    if (other !== undefined) {
      findings.invalid(
        `${visible(other)} and ${visible(folder.path)} both hold the skill "${definition.name}". Choose others with \`include\`, or name a smaller folder.`,
      );
    }
    seen.set(definition.name, folder.path);
  }
}
