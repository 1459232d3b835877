import {
  MAX_SKILL_FILE_BYTES,
  parseSkillFile,
  type ParseSkillResult,
  type SkillDefinition,
} from '@helix-agents/core';
import type { Snapshot } from '../git/snapshot.ts';
import { MAX_READ_BYTES } from '../limits.ts';
import { below, folderName, SKILL_FILE, type SkillFolder } from '../sources/skill-folders.ts';
import { visible } from '../visible.ts';
import type { Findings } from './findings.ts';
import { readFiles, type FileContent } from './read-files.ts';

export interface Chosen {
  readonly folder: SkillFolder;
  /** Without the files beside its `SKILL.md`. */
  readonly definition: SkillDefinition;
}

/**
 * Reads every `SKILL.md`, since a skill is chosen by the name it gives itself. One that cannot be read is skipped with a warning,
 * unless it was asked for.
 */
export async function chooseSkills(
  snapshot: Snapshot,
  folders: readonly SkillFolder[],
  include: readonly string[] | undefined,
  findings: Findings,
): Promise<Chosen[]> {
  const heads = folders.flatMap(({ path, files }) =>
    files.filter((file) => file.path === below(path, SKILL_FILE) && file.size <= MAX_READ_BYTES),
  );
  const { contents } = await readFiles(snapshot, heads, MAX_SKILL_FILE_BYTES);
  const chosen: Chosen[] = [];
  const missing = new Set(include);
  for (const folder of folders) {
    const directory = folderName(folder.path);
    const file = below(folder.path, SKILL_FILE);
    const parsed = parse(contents.get(file), directory);
    const name = parsed.ok ? parsed.skill.name : directory;
    if (include && (name === undefined || !include.includes(name))) continue;
    missing.delete(name ?? '');
    if (parsed.ok) {
      findings.warn(...parsed.warnings.map((warning) => `${visible(file)}: ${visible(warning)}`));
      chosen.push({ folder, definition: parsed.skill });
    } else if (include) findings.invalid(`${visible(file)}: ${visible(parsed.reason)}`);
    else findings.warn(`${visible(file)}: ${visible(parsed.reason)}: the skill was skipped`);
  }
  for (const name of missing) findings.invalid(notThere(name, folders));
  reportTwice(chosen, findings);
  return chosen;
}

function parse(content: FileContent | undefined, directory: string | undefined): ParseSkillResult {
  if (content?.kind === 'text') {
    return parseSkillFile(content.text, {
      lenient: true,
      ...(directory !== undefined && { directory }),
    });
  }
  const isBinary = content?.kind === 'binary';
  return { ok: false, reason: isBinary ? 'it is no UTF-8 text' : 'it is too large' };
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
