import { createHash } from 'node:crypto';

/**
 * One hash over files: paths and contents with their lengths before them, so that no byte can move from one to another. The
 * caller hands files over in the order of the bytes of their paths.
 */
export class Integrity {
  readonly #hash = createHash('sha256');

  begin(path: string, size: number): void {
    const name = Buffer.from(path);
    this.#hash.update(`${name.length}:${size}:`).update(name);
  }

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
  }

  finish(): string {
    return `sha256-${this.#hash.digest('base64')}`;
  }
}
