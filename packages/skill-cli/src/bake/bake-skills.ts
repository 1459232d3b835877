import { skillResourcePath, type SkillDefinition } from '@helix-agents/core';
import { compareBytes, type TreeFile } from '../git/read-tree.ts';
import type { Snapshot } from '../git/snapshot.ts';
import { MAX_READ_BYTES, MAX_SKILL_FILES, type SyncLimits } from '../limits.ts';
import {
  below,
  SKILL_FILE,
  type FoundFolders,
  type SkillFolder,
} from '../sources/skill-folders.ts';
import { invisiblePlaces, visible } from '../visible.ts';
import { chooseSkills, type Chosen } from './choose-skills.ts';
import { Findings } from './findings.ts';
import { readFiles, type ReadFiles } from './read-files.ts';

export interface BakedSkills {
  readonly skills: readonly SkillDefinition[];
  /** Over every file of these skills, binary ones too. */
  readonly integrity: string;
  readonly warnings: readonly string[];
}

export interface BakeOptions {
  readonly include: readonly string[] | undefined;
  /** Skills that the last sync took. */
  readonly locked: readonly string[];
  readonly limits: SyncLimits;
}

/** Turns folders of a commit into plain data. What was asked for and cannot be taken fails, with the whole list. */
export async function bakeSkills(
  snapshot: Snapshot,
  found: FoundFolders,
  options: BakeOptions,
): Promise<BakedSkills> {
  const { limits } = options;
  const findings = new Findings();
  const chosen = await chooseSkills(snapshot, found, options, findings);
  const files = chosen.flatMap(({ folder }) => filesOf(folder, findings));
  findings.settle();
  files.sort((a, b) => compareBytes(a.path, b.path));
  const read = await readFiles(snapshot, files, limits.fileBytes);
  const skills = chosen.map((one) => withResources(one, { files, read, limits, findings }));
  findings.settle();
  return { skills, integrity: read.integrity, warnings: findings.warnings };
}

/** The files of a skill that are read: nothing hidden, such as `.env`. Links and submodules are never followed. */
function filesOf(folder: SkillFolder, findings: Findings): TreeFile[] {
  const shown = folder.files.filter(({ path }) => !isHidden(folder, path));
  const hidden = folder.files.length - shown.length;
  if (hidden > 0) {
    const files = `${hidden} hidden ${hidden === 1 ? 'file' : 'files'}`;
    findings.warn(`${visible(folder.path) || '.'} has ${files}, skipped`);
  }
  if (shown.length > MAX_SKILL_FILES) {
    findings.tooLarge(`${visible(folder.path)} has more than ${MAX_SKILL_FILES} files.`);
    return [];
  }
  return shown.filter((file) => {
    const where = visible(file.path);
    if (file.kind !== 'file') findings.warn(`${where} is a ${file.kind} and was skipped`);
    else if (file.size > MAX_READ_BYTES) {
      findings.tooLarge(
        `${where} has ${file.size} bytes; no file may have more than ${MAX_READ_BYTES}.`,
      );
    } else return true;
    return false;
  });
}

function isHidden({ path: place }: SkillFolder, path: string): boolean {
  const parts = path.slice(place === '' ? 0 : place.length + 1).split('/');
  return parts.some((part) => part.startsWith('.'));
}

interface Material {
  readonly files: readonly TreeFile[];
  readonly read: ReadFiles;
  readonly limits: SyncLimits;
  readonly findings: Findings;
}

function withResources({ folder, definition }: Chosen, material: Material): SkillDefinition {
  const { read, limits, findings } = material;
  const resources: [string, string | { size: number }][] = [];
  const prefix = below(folder.path, 'x').slice(0, -1);
  let bytes = 0;
  for (const file of material.files.filter(({ path }) => path.startsWith(prefix))) {
    const content = read.contents.get(file.path);
    const where = visible(file.path);
    if (content?.kind === 'too-long') {
      findings.tooLarge(
        `${where} has ${file.size} bytes; a text may have ${limits.fileBytes} (\`limits.fileBytes\`).`,
      );
    }
    if (content?.kind === 'text') {
      bytes += file.size;
      const places = invisiblePlaces(content.text);
      if (places.length > 0)
        findings.warn(`${where} has characters that are not seen: ${places.join(', ')}`);
    }
    const path = file.path.slice(prefix.length);
    if (path === SKILL_FILE) continue;
    if (skillResourcePath(path) !== path)
      findings.warn(`${where} has a path that no model can ask for and was skipped`);
    else resources.push([path, content?.kind === 'text' ? content.text : { size: file.size }]);
  }
  if (bytes > limits.skillBytes) {
    findings.tooLarge(
      `${visible(folder.path)} has ${bytes} bytes of text; a skill may have ${limits.skillBytes} (\`limits.skillBytes\`).`,
    );
  }
  return resources.length === 0
    ? definition
    : { ...definition, resources: Object.fromEntries(resources) };
}
