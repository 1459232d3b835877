import { readBlobs } from '../git/read-blobs.ts';
import type { TreeFile } from '../git/read-tree.ts';
import type { Snapshot } from '../git/snapshot.ts';
import { Integrity } from './integrity.ts';

export type FileContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' }
  /** A text that is longer than what is kept. */
  | { readonly kind: 'too-long' };

export interface ReadFiles {
  readonly contents: ReadonlyMap<string, FileContent>;
  readonly integrity: string;
}

/** How much of a file that is not kept tells whether it is text. */
const HEAD_BYTES = 8_000;

/** Reads files in the order of `files`, and hashes them all. Of a file above `maxBytes` only what it is stays in memory. */
export async function readFiles(
  snapshot: Snapshot,
  files: readonly TreeFile[],
  maxBytes: number,
): Promise<ReadFiles> {
  const integrity = new Integrity();
  const contents = new Map<string, FileContent>();
  let pieces: Buffer[] = [];
  let kept = 0;
  let next = 0;
  /** Files before the one that is being read are complete; those without content have no piece of their own. */
  const advanceTo = (index: number): void => {
    for (; next < index; next += 1) {
      const file = files[next];
      if (file) contents.set(file.path, contentOf(Buffer.concat(pieces), file.size, maxBytes));
      pieces = [];
      kept = 0;
      const following = files[next + 1];
      if (following) integrity.begin(following.path, following.size);
    }
  };
  if (files[0]) integrity.begin(files[0].path, files[0].size);
  await readBlobs(snapshot, files, (index, piece) => {
    advanceTo(index);
    integrity.add(piece);
    const most = (files[index]?.size ?? 0) > maxBytes ? HEAD_BYTES : maxBytes;
    if (kept >= most) return;
    pieces.push(piece.subarray(0, most - kept));
    kept += piece.length;
  });
  advanceTo(files.length);
  return { contents, integrity: integrity.finish() };
}

function contentOf(bytes: Buffer, size: number, maxBytes: number): FileContent {
  const isWhole = size <= maxBytes;
  const text = bytes.includes(0) ? null : decode(bytes, isWhole);
  if (text === null) return { kind: 'binary' };
  return isWhole ? { kind: 'text', text } : { kind: 'too-long' };
}

function decode(bytes: Buffer, isWhole: boolean): string | null {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: !isWhole });
  } catch {
    return null;
  }
}
