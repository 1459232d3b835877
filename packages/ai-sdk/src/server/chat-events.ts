import {
  DEFAULT_READER_LIMITS,
  EVENT_STREAM_HEADERS,
  eventStream,
  formatEvent,
  type ChunkEvent,
  type ReaderLimits,
} from '@helix-agents/http';
import type { ChatChunk } from '../ui/chunks.ts';

/** Headers that clients of the AI SDK expect. */
export const CHAT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  ...EVENT_STREAM_HEADERS,
  'content-type': 'text/event-stream',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
};

/** The n-th chat chunk (from 0) that a chunk of the session's stream became: the id of its event. */
export interface ChatPosition {
  readonly sequence: number;
  readonly index: number;
}

/** The chat chunks made from one chunk of the stream. Those that open and close the message have no `sequence`. */
export interface ChunkBatch {
  readonly sequence?: number;
  readonly firstIndex?: number;
  readonly chunks: readonly ChatChunk[];
}

const DONE = 'data: [DONE]\n\n';
const encoder = new TextEncoder();

export function readerLimits({
  heartbeatMs = DEFAULT_READER_LIMITS.heartbeatMs,
  bufferBytes = DEFAULT_READER_LIMITS.bufferBytes,
  stallMs = DEFAULT_READER_LIMITS.stallMs,
}: Partial<ReaderLimits>): ReaderLimits {
  return { heartbeatMs, bufferBytes, stallMs };
}

/** Encoded chat chunks as server-sent events, made only as fast as the client reads. `close` ends the frames. */
export function chatEvents(
  frames: AsyncIterable<Uint8Array>,
  limits: ReaderLimits,
  close: () => void,
  onStall: () => void,
): ReadableStream<Uint8Array> {
  return eventStream(
    { frames: untilDone(frames), close },
    { ...limits, retryMs: null, onHeartbeat: () => undefined, onStall },
  );
}

async function* untilDone(
  frames: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  yield* frames;
  yield encoder.encode(DONE);
  return undefined;
}

export function encodeBatch({ sequence, firstIndex = 0, chunks }: ChunkBatch): Uint8Array {
  let events = '';
  for (let index = 0; index < chunks.length; index += 1) {
    const id = sequence === undefined ? undefined : `${sequence}.${firstIndex + index}`;
    events += formatEvent(chunks[index], id);
  }
  return encoder.encode(events);
}

const frames = { later: new WeakMap<ChunkEvent, Uint8Array>(), earlier: new WeakMap() };

/**
 * The same, encoded once for all readers of a chunk whose clients understand the same chunks (`for`). Only for chunks that
 * are the same for all of these readers.
 */
export function encodeShared(
  event: ChunkEvent,
  { for: clients, chunks }: { readonly for: 'later' | 'earlier'; readonly chunks: ChatChunk[] },
): Uint8Array {
  const known = frames[clients].get(event);
  if (known) return known;
  const frame = encodeBatch({ sequence: event.sequence, chunks });
  frames[clients].set(event, frame);
  return frame;
}
