import { SkillSyncError } from '../errors.ts';
import { MAX_TREE_FILES, MAX_TREE_OUTPUT_BYTES } from '../limits.ts';
import { visible } from '../visible.ts';
import { runGit } from './run-git.ts';
import type { Snapshot } from './snapshot.ts';

/** What a commit has at a path. Links and submodules are named, never followed. */
export interface TreeFile {
  /** From the top of the repository, with forward slashes. */
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
  readonly id: string;
  readonly size: number;
}

/** Every file below a folder (`''` is the top), or the one file at that path, in the order of the bytes of their paths. */
export async function readTree(snapshot: Snapshot, path: string): Promise<TreeFile[]> {
  const pieces: Buffer[] = [];
  let files = 0;
  let bytes = 0;
  await runGit(
    snapshot.place,
    [
      'ls-tree',
      '-r',
      '-z',
      '-l',
      '--full-tree',
      snapshot.commit,
      ...(path === '' ? [] : ['--', path]),
    ],
    {
      onOutput: (piece) => {
        pieces.push(piece);
        bytes += piece.length;
        for (const byte of piece) if (byte === 0) files += 1;
        if (files > MAX_TREE_FILES || bytes > MAX_TREE_OUTPUT_BYTES) throw tooMany(snapshot, path);
      },
    },
  );
  return parseTree(Buffer.concat(pieces)).toSorted((a, b) => compareBytes(a.path, b.path));
}

/** Lines of `git ls-tree -z -l`. A path that no honest tree has is refused. */
export function parseTree(output: Uint8Array): TreeFile[] {
  const lines = decode(output).split('\0');
  return lines.filter((line) => line !== '').map(parseLine);
}

export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** A path inside of a repository in its one form (`''` is the top); null for anything that leads out of it. */
export function repositoryPath(path: string): string | null {
  if (path.length > 1_024 || path.startsWith('/') || /[\\\p{Cc}\p{Cs}]/u.test(path)) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part) => part === '..' || part.toLowerCase() === '.git')
    ? null
    : parts.join('/');
}

function parseLine(line: string): TreeFile {
  const found = /^(\d{6}) (\w+) ([0-9a-f]{40}) +(-|\d+)\t(.+)$/s.exec(line);
  const [, mode, type, id = '', size = '', path = ''] = found ?? [];
  if (!found || repositoryPath(path) !== path) {
    throw new SkillSyncError('skills_source_refused', `A path is refused: ${visible(line)}.`);
  }
  if (type === 'commit') return { path, kind: 'submodule', id, size: 0 };
  return { path, kind: mode === '120000' ? 'link' : 'file', id, size: Number(size) };
}

function decode(output: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(output);
  } catch (cause) {
    const message =
      'A path is refused: it is not UTF-8. Ask the owner of the repository to rename the file.';
    throw new SkillSyncError('skills_source_refused', message, cause);
  }
}

function tooMany({ url, commit }: Snapshot, path: string): SkillSyncError {
  return new SkillSyncError(
    'skills_limit_exceeded',
    `${visible(url)} has more than ${MAX_TREE_FILES} files under "${visible(path)}" at ${commit}. Name a smaller folder in \`skillsDir\`.`,
  );
}
