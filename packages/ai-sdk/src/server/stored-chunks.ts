import type { StoredChunk, StreamManager } from '@helix-agents/core';
import { FrontendHandlerError } from './frontend-handler-error.ts';

/** Page size for a manager that does not limit its pages by bytes. */
const CHUNKS_PER_READ = 64;

/** The stored chunks after a number, without waiting for new ones. Only one page is in memory at a time. */
export async function* storedChunks(
  streams: StreamManager,
  streamId: string,
  after: number,
): AsyncGenerator<StoredChunk, undefined> {
  if (!streams.createResumableReader || !streams.getStreamInfo) {
    return yield* readPages(streams, streamId, after);
  }
  const info = await streams.getStreamInfo(streamId);
  if (!info || info.chunkCount === 0 || info.head <= after) return undefined;
  const reader = await streams.createResumableReader(streamId, { afterSequence: after });
  try {
    for await (const stored of reader ?? []) {
      if (stored.sequence > info.head) break;
      yield stored;
      if (stored.sequence === info.head) break;
    }
  } finally {
    reader?.close();
  }
  return undefined;
}

async function* readPages(
  streams: StreamManager,
  streamId: string,
  after: number,
): AsyncGenerator<StoredChunk, undefined> {
  if (!streams.readChunks) {
    throw new FrontendHandlerError(
      'stream_not_resumable',
      501,
      'The chat needs a StreamManager with readChunks: streams are resumed after a number.',
    );
  }
  for (let cursor = after; ;) {
    const page = await streams.readChunks(streamId, { after: cursor, limit: CHUNKS_PER_READ });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < CHUNKS_PER_READ) return undefined;
    cursor = last.sequence;
  }
}
