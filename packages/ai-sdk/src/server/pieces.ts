/** Frames below this size that are available together are sent together. */
const PIECE_BYTES = 32_768;

/** Joins small frames. A large one is passed on without a copy: many readers may share it. */
export class Pieces {
  #frames: Uint8Array[] = [];
  #bytes = 0;

  *add(frame: Uint8Array): Generator<Uint8Array> {
    if (this.#bytes + frame.byteLength > PIECE_BYTES) yield* this.flush();
    if (frame.byteLength > 0) this.#frames.push(frame);
    this.#bytes += frame.byteLength;
  }

  *flush(): Generator<Uint8Array> {
    const [only] = this.#frames;
    if (only) yield this.#frames.length === 1 ? only : join(this.#frames, this.#bytes);
    this.#frames = [];
    this.#bytes = 0;
  }
}

function join(frames: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const frame of frames) {
    joined.set(frame, at);
    at += frame.byteLength;
  }
  return joined;
}
