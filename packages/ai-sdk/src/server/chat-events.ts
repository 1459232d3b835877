import { EVENT_STREAM_HEADERS, eventStream, formatEvent } from '@helix-agents/http';
import type { ChatChunk } from '../ui/chunks.ts';

/** What clients of the AI SDK expect of a stream. */
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

/** Chat chunks that go out together; what opens and closes the stream has no place in it. */
export interface ChunkBatch {
  readonly sequence?: number;
  readonly firstIndex?: number;
  readonly chunks: readonly ChatChunk[];
}

const DONE = 'data: [DONE]\n\n';

/** Chat chunks as server-sent events, made only as fast as the client reads. `close` ends the batches. */
export function chatEvents(
  batches: AsyncIterable<readonly ChunkBatch[]>,
  heartbeatMs: number,
  close: () => void,
): ReadableStream<Uint8Array> {
  return eventStream(
    { frames: framesOf(batches), close },
    {
      heartbeatMs,
      bufferBytes: 0,
      stallMs: null,
      retryMs: null,
      onHeartbeat: () => undefined,
      onStall: () => undefined,
    },
  );
}

async function* framesOf(
  batches: AsyncIterable<readonly ChunkBatch[]>,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  for await (const together of batches) {
    const events = together.map(toEvents).join('');
    if (events !== '') yield encoder.encode(events);
  }
  yield encoder.encode(DONE);
  return undefined;
}

function toEvents({ sequence, firstIndex = 0, chunks }: ChunkBatch): string {
  let events = '';
  for (let index = 0; index < chunks.length; index += 1) {
    const id = sequence === undefined ? undefined : `${sequence}.${firstIndex + index}`;
    events += formatEvent(chunks[index], id);
  }
  return events;
}
