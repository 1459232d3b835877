import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { skillResourcePath, type SkillResource } from '@helix-agents/core';
import { openInside, type SkillFolder } from './open-inside.ts';
import { isBinary } from './read-text.ts';

export const SKILL_FILE = 'SKILL.md';

const MAX_FILES = 1_000;
const MAX_DEPTH = 8;

/** The files beside a `SKILL.md`, sorted by path. Linked folders are not entered: they may lead anywhere, also in a circle. */
export async function listResources(place: SkillFolder): Promise<SkillResource[]> {
  const found: SkillResource[] = [];
  const folders = [{ path: '', depth: 1 }];
  for (let next = folders.shift(); next && found.length < MAX_FILES; next = folders.shift()) {
    const { path, depth } = next;
    const entries = await readdir(join(place.folder, path), { withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (!isReadable(below)) continue;
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH) folders.push({ path: below, depth: depth + 1 });
        continue;
      }
      if (found.length === MAX_FILES) break;
      const file = await openInside(place, below, async (opened, stats) => ({
        path: below,
        size: stats.size,
        binary: await isBinary(opened, stats),
      }));
      if (file.ok) found.push(file.value);
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a path, in its one form, may be read at all: not the skill's own file, and nothing hidden, such as `.git` or `.env`. */
export function isReadable(path: string): boolean {
  if (skillResourcePath(path) !== path || path.toLowerCase() === SKILL_FILE.toLowerCase())
    return false;
  return !path.split('/').some((part) => part.startsWith('.'));
}
