import type { StoredChunk, StreamChunk, StreamManager, StreamReader } from '@helix-agents/core';
import type { OpenStream } from './shared-tails.ts';

/** A chunk of a stream, as those who read it get it. */
export interface ChunkEvent {
  readonly type: 'chunk';
  readonly sequence: number;
  readonly chunk: StreamChunk;
}

/** The streams of a manager as events. `streams` is asked when one is opened. */
export function createChunkEvents(streams: () => StreamManager): OpenStream<ChunkEvent> {
  return async (streamId, after) => {
    const reader = await openReader(streams(), streamId, after);
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

/** A manager that cannot start after a number is read from the beginning, and counted. */
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
