import { HelixError } from '../errors/helix-error.ts';
import type { RunRow } from '../store/rows.ts';
import type { StreamChunk } from '../stream/chunks.ts';
import type { StoredChunk, StreamManager } from '../stream/stream-manager.ts';

/**
 * The chunks of one run, out of the stream that its session has for all of them. `after`: where the caller wants to begin;
 * else where the run began. Null when there is no such stream.
 */
export async function readRunChunks(
  streams: StreamManager,
  streamId: string,
  own: RunRow | undefined,
  after: number | undefined,
): Promise<AsyncIterable<StreamChunk> | null> {
  if (streams.createResumableReader) {
    const afterSequence = after ?? own?.startSequence ?? 0;
    const reader = await streams.createResumableReader(streamId, { afterSequence });
    return reader && upToNextRun(pausing(streams, chunksOf(reader), own), own);
  }
  if (after !== undefined && after > 0) {
    throw new HelixError({
      code: 'stream_not_resumable',
      message:
        'This StreamManager cannot resume after a number: implement createResumableReader, or read from 0.',
    });
  }
  const reader = await streams.createReader(streamId);
  if (!reader) return null;
  const chunks = after === undefined ? fromItsBeginning(reader, own) : reader;
  return upToNextRun(pausing(streams, chunks, own), own);
}

/** Ends before the chunks of the next run: a session has one stream for all its runs. */
async function* upToNextRun(
  chunks: AsyncIterable<StreamChunk>,
  own: RunRow | undefined,
): AsyncGenerator<StreamChunk> {
  for await (const chunk of chunks) {
    if (own && isBeginning(chunk, own) && chunk.turn > own.turn) return;
    yield chunk;
  }
}

/** Skips the chunks of earlier runs, for streams that cannot be read from a number. */
async function* fromItsBeginning(
  chunks: AsyncIterable<StreamChunk>,
  own: RunRow | undefined,
): AsyncGenerator<StreamChunk> {
  let begun = own === undefined || own.turn === 1;
  for await (const chunk of chunks) {
    begun ||= own !== undefined && isBeginning(chunk, own) && chunk.turn >= own.turn;
    if (begun) yield chunk;
  }
}

/** A stream that cannot pause stays open while people are asked, so reading ends at the chunk that ends the run. */
function pausing(
  streams: StreamManager,
  chunks: AsyncIterable<StreamChunk>,
  own: RunRow | undefined,
): AsyncIterable<StreamChunk> {
  return streams.pauseStream || !own ? chunks : upToItsEnd(chunks, own);
}

async function* upToItsEnd(
  chunks: AsyncIterable<StreamChunk>,
  { sessionId, runId }: RunRow,
): AsyncGenerator<StreamChunk> {
  for await (const chunk of chunks) {
    yield chunk;
    const rests = chunk.type === 'run_suspended' || chunk.type === 'run_interrupted';
    if (rests && chunk.agentId === sessionId && chunk.runId === runId) return;
  }
}

type Beginning = Extract<StreamChunk, { type: 'run_started' | 'run_resumed' }>;

function isBeginning(chunk: StreamChunk, { sessionId }: RunRow): chunk is Beginning {
  const begins = chunk.type === 'run_started' || chunk.type === 'run_resumed';
  return begins && chunk.agentId === sessionId;
}

async function* chunksOf(reader: AsyncIterable<StoredChunk>): AsyncGenerator<StreamChunk> {
  for await (const { chunk } of reader) yield chunk;
}
