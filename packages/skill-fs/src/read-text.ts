import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** How much of a file tells whether it is text. */
const HEAD_BYTES = 8_000;

/** The whole of a file as text; null where it is not UTF-8 or has a NUL. Reads no more than `maxBytes`, also of one that grows. */
export async function readText(file: FileHandle, maxBytes: number): Promise<string | null> {
  return toText(await readStart(file, maxBytes), true);
}

/** Whether a file begins like a binary one. */
export async function isBinary(file: FileHandle, { size }: Stats): Promise<boolean> {
  return toText(await readStart(file, HEAD_BYTES), size <= HEAD_BYTES) === null;
}

async function readStart(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let read = 0; read < maxBytes;) {
    const piece = Buffer.alloc(Math.min(65_536, maxBytes - read));
    const { bytesRead } = await file.read(piece, 0, piece.length, read);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    read += bytesRead;
  }
  return Buffer.concat(pieces);
}

function toText(bytes: Buffer, isWhole: boolean): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return null;
  }
}
