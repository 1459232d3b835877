import type { StoredChunk, StreamChunk, StreamManager, StreamReader } from '@helix-agents/core';
import { formatEvent } from '../sse/format-event.ts';
import type { OpenStream } from './shared-tails.ts';

/** A chunk of a stream. All readers at the end of the stream get the same object. */
export interface ChunkEvent {
  readonly type: 'chunk';
  readonly sequence: number;
  readonly chunk: StreamChunk;
}

const encoder = new TextEncoder();
const frames = new WeakMap<ChunkEvent, Uint8Array>();

/** A chunk as a server-sent event, with its number as `id`; encoded once for all its readers. */
export function chunkFrame(event: ChunkEvent): Uint8Array {
  const known = frames.get(event);
  if (known) return known;
  const frame = encoder.encode(formatEvent(event.chunk, event.sequence));
  frames.set(event, frame);
  return frame;
}

/** The streams of a manager as events. */
export function createChunkEvents(streams: StreamManager): OpenStream<ChunkEvent> {
  return async (streamId, after) => {
    const reader = await openReader(streams, streamId, after);
    return reader && { close: () => reader.close(), [Symbol.asyncIterator]: () => events(reader) };
  };
}

function events(reader: StreamReader<StoredChunk>): AsyncIterator<ChunkEvent, undefined> {
  const stored = reader[Symbol.asyncIterator]();
  return {
    async next() {
      const next = await stored.next();
      if (next.done) return { done: true, value: undefined };
      const { sequence, chunk } = next.value;
      return { done: false, value: { type: 'chunk', sequence, chunk } };
    },
  };
}

/** A manager that cannot start after a number is read from the beginning, and its chunks are counted. */
async function openReader(
  streams: StreamManager,
  streamId: string,
  after: number,
): Promise<StreamReader<StoredChunk> | null> {
  if (streams.createResumableReader) {
    return streams.createResumableReader(streamId, { afterSequence: after });
  }
  const reader = await streams.createReader(streamId);
  return reader && { close: () => reader.close(), [Symbol.asyncIterator]: () => counted() };

  async function* counted(): AsyncGenerator<StoredChunk> {
    let sequence = 0;
    for await (const chunk of reader ?? []) {
      sequence += 1;
      if (sequence > after) yield { sequence, chunk };
    }
  }
}
