import type { StreamManager } from '@helix-agents/core';
import { chunkFrame, createChunkEvents, type ChunkEvent } from './chunk-events.ts';
import { shareTails, type OpenStream } from './shared-tails.ts';

/** Bytes kept of a stream with several readers, for those a little behind. */
const WINDOW_BYTES = 262_144;

const tails = new WeakMap<StreamManager, OpenStream<ChunkEvent>>();

/** The streams of a manager, each read once for all its followers in this process, on every route. */
export function streamTails(streams: StreamManager): OpenStream<ChunkEvent> {
  const known = tails.get(streams);
  if (known) return known;
  const shared = shareTails(createChunkEvents(streams), {
    sizeOf: (event) => chunkFrame(event).byteLength,
    windowBytes: WINDOW_BYTES,
  });
  tails.set(streams, shared);
  return shared;
}
