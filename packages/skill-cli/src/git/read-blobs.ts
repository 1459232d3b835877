import { SkillSyncError } from '../errors.ts';
import type { TreeFile } from './read-tree.ts';
import { runGit } from './run-git.ts';
import type { Snapshot } from './snapshot.ts';

const HEADER = /^([0-9a-f]{40}) blob (\d+)$/;

/** Hands over the contents of these files by index, in order and piece by piece. A file without content has no pieces. */
export async function readBlobs(
  snapshot: Snapshot,
  files: readonly TreeFile[],
  onPiece: (index: number, piece: Buffer) => void,
): Promise<void> {
  if (files.length === 0) return;
  const reading = new BlobReading(files, onPiece);
  await runGit(snapshot.place, ['cat-file', '--batch'], {
    input: files.map(({ id }) => `${id}\n`).join(''),
    onOutput: (piece) => reading.take(piece),
  });
  reading.finish();
}

/** The output of `git cat-file --batch`: a line with id and size, the bytes, a line end. */
class BlobReading {
  readonly #files: readonly TreeFile[];
  readonly #onPiece: (index: number, piece: Buffer) => void;
  #next = 0;
  #header: Buffer = Buffer.alloc(0);
  /** Bytes of the current file that are still to come, and the line end after them; -1 between files. */
  #left = -1;

  constructor(files: readonly TreeFile[], onPiece: (index: number, piece: Buffer) => void) {
    this.#files = files;
    this.#onPiece = onPiece;
  }

  take(given: Buffer): void {
    let piece = given;
    while (piece.length > 0)
      piece = this.#left < 0 ? this.#readHeader(piece) : this.#readBytes(piece);
  }

  finish(): void {
    if (this.#next !== this.#files.length || this.#left >= 0) throw unreadable();
  }

  #readHeader(piece: Buffer): Buffer {
    const end = piece.indexOf('\n');
    this.#header = Buffer.concat([this.#header, end < 0 ? piece : piece.subarray(0, end)]);
    if (end < 0) return Buffer.alloc(0);
    const [, id, size] = HEADER.exec(this.#header.toString()) ?? [];
    const file = this.#files[this.#next];
    if (!file || id !== file.id || Number(size) !== file.size) throw unreadable();
    this.#header = Buffer.alloc(0);
    this.#left = file.size + 1;
    return piece.subarray(end + 1);
  }

  #readBytes(piece: Buffer): Buffer {
    const own = piece.subarray(0, this.#left - 1);
    if (own.length > 0) this.#onPiece(this.#next, own);
    const rest = piece.subarray(this.#left);
    this.#left -= Math.min(this.#left, piece.length);
    if (this.#left === 0) {
      this.#left = -1;
      this.#next += 1;
    }
    return rest;
  }
}

function unreadable(): SkillSyncError {
  return new SkillSyncError(
    'skills_fetch_failed',
    'git did not return the files that its own list names. Try again; if it stays so, the repository is damaged.',
  );
}
