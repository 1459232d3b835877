import type { TreeFile } from '../git/read-tree.ts';

export const SKILL_FILE = 'SKILL.md';

/** A folder with a `SKILL.md`, as it is in a commit. */
export interface SkillFolder {
  /** From the top of the repository; `''` is the top itself. */
  readonly path: string;
  readonly files: readonly TreeFile[];
}

/** What looks like a skill and is none. */
export interface SkippedFolder {
  readonly path: string;
  readonly reason: string;
}

export interface FoundFolders {
  readonly folders: readonly SkillFolder[];
  readonly skipped: readonly SkippedFolder[];
}

/** The skill that a folder is, or else the skills that are its folders. */
export function findSkillFolders(tree: readonly TreeFile[], place: string): FoundFolders {
  const own = filesBelow(tree, place);
  if (hasSkillFile(own, place)) return { folders: [{ path: place, files: own }], skipped: [] };
  const folders: SkillFolder[] = [];
  const skipped: SkippedFolder[] = [];
  for (const [path, files] of byFolder(own, place)) {
    if (hasSkillFile(files, path)) folders.push({ path, files });
    else skipped.push(...almostSkill(files, path).map((reason) => ({ path, reason })));
  }
  return { folders, skipped };
}

/** The name of the folder a skill is in; undefined at the top of a repository, which has none. */
export function folderName(path: string): string | undefined {
  return path === '' ? undefined : path.slice(path.lastIndexOf('/') + 1);
}

/** `''` and `a/b` to `a/b`; `a` and `b` to `a/b`. */
export function below(place: string, path: string): string {
  return [place, path].filter((part) => part !== '').join('/');
}

function filesBelow(tree: readonly TreeFile[], place: string): TreeFile[] {
  return place === '' ? [...tree] : tree.filter(({ path }) => path.startsWith(`${place}/`));
}

function hasSkillFile(files: readonly TreeFile[], place: string): boolean {
  const wanted = below(place, SKILL_FILE);
  return files.some(({ path, kind }) => path === wanted && kind === 'file');
}

/** Folders directly below a place. A link or a submodule there counts as one, with itself as its only file. */
function byFolder(files: readonly TreeFile[], place: string): Map<string, TreeFile[]> {
  const folders = new Map<string, TreeFile[]>();
  for (const file of files) {
    const [first = '', ...rest] = file.path.slice(place === '' ? 0 : place.length + 1).split('/');
    if (rest.length === 0 && file.kind === 'file') continue;
    const folder = below(place, first);
    const found = folders.get(folder);
    if (found) found.push(file);
    else folders.set(folder, [file]);
  }
  return folders;
}

function almostSkill(files: readonly TreeFile[], path: string): string[] {
  const itself = files.find((file) => file.path === path);
  if (itself) return [`${path} is a ${itself.kind}`];
  const named = files.find(
    (file) => file.path.toLowerCase() === below(path, SKILL_FILE).toLowerCase(),
  );
  if (!named) return [];
  if (named.kind !== 'file') return [`${named.path} is a ${named.kind}`];
  return [`${named.path} must be called ${SKILL_FILE}`];
}
