import { SkillSyncError } from '../errors.ts';
import { readBlobs } from '../git/read-blobs.ts';
import { readTree } from '../git/read-tree.ts';
import type { Snapshot } from '../git/snapshot.ts';
import { MAX_MANIFEST_BYTES } from '../limits.ts';
import { visible } from '../visible.ts';
import {
  findPlugin,
  MARKETPLACE_FILE,
  PLUGIN_FILE,
  pluginSkillPaths,
  type PluginPlace,
} from './marketplace.ts';
import {
  below,
  findSkillFolders,
  SKILL_FILE,
  type FoundFolders,
  type SkillFolder,
  type SkippedFolder,
} from './skill-folders.ts';

const HINTS = 10;

/** The skills in some folders of a commit. Fails where there is none. */
export async function findFolders(
  snapshot: Snapshot,
  places: readonly string[],
): Promise<FoundFolders> {
  const folders = new Map<string, SkillFolder>();
  const skipped = new Map<string, SkippedFolder>();
  for (const place of places) {
    const found = findSkillFolders(await readTree(snapshot, place), place);
    for (const folder of found.folders) folders.set(folder.path, folder);
    for (const { path, reason } of found.skipped)
      skipped.set(path, { path, reason: visible(reason) });
  }
  if (folders.size === 0) throw await noSkills(snapshot, places, [...skipped.values()]);
  return { folders: [...folders.values()], skipped: [...skipped.values()] };
}

/** Where a marketplace says that a plugin is. */
export async function locatePlugin(snapshot: Snapshot, plugin: string): Promise<PluginPlace> {
  const text = await readText(snapshot, MARKETPLACE_FILE);
  if (text !== null) return findPlugin(text, plugin, snapshot.url);
  throw new SkillSyncError(
    'skills_source_refused',
    `${visible(snapshot.url)} is no marketplace: it has no ${MARKETPLACE_FILE} at ${snapshot.commit}. Use a source "git" instead.`,
  );
}

/** The folders in which a plugin has its skills. */
export async function placesOfPlugin(snapshot: Snapshot, plugin: PluginPlace): Promise<string[]> {
  const named = [...plugin.named];
  if (plugin.isOpen) {
    const text = await readText(snapshot, below(plugin.folder, PLUGIN_FILE));
    named.push('skills', ...(text === null ? [] : pluginSkillPaths(text)));
  }
  return [...new Set(named.map((path) => below(plugin.folder, path)))];
}

/** A file of the commit as text; null where there is no regular file of that name. */
async function readText(snapshot: Snapshot, path: string): Promise<string | null> {
  const file = (await readTree(snapshot, path)).find((one) => one.path === path);
  if (file?.kind !== 'file') return null;
  if (file.size > MAX_MANIFEST_BYTES) {
    throw new SkillSyncError(
      'skills_limit_exceeded',
      `${visible(path)} of ${visible(snapshot.url)} has ${file.size} bytes; it may have ${MAX_MANIFEST_BYTES}.`,
    );
  }
  const pieces: Buffer[] = [];
  await readBlobs(snapshot, [file], (_, piece) => pieces.push(piece));
  return Buffer.concat(pieces).toString();
}

async function noSkills(
  snapshot: Snapshot,
  places: readonly string[],
  skipped: readonly SkippedFolder[],
): Promise<SkillSyncError> {
  const looked = places.map((place) => `"${visible(place) || '.'}"`).join(', ');
  const all = (await readTree(snapshot, '')).filter(({ path }) => path.endsWith(SKILL_FILE));
  const there = all.slice(0, HINTS).map(({ path }) => visible(path));
  const hint =
    there.length === 0
      ? `The repository has no ${SKILL_FILE} at all.`
      : `It has ${there.join(', ')}${all.length > HINTS ? ' and others' : ''}: name their folder in \`skillsDir\` of a source "git".`;
  const why = skipped.map(({ reason }) => reason);
  const said = [`${visible(snapshot.url)} has no skills in ${looked}. ${hint}`, ...why];
  return new SkillSyncError('skills_content_invalid', said.join('\n'));
}
