import type { ChatChunk } from '../ui/chunks.ts';

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
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

/** Reads only as fast as the client does. A comment keeps a silent connection open. */
export function toSseStream(
  batches: AsyncIterator<readonly ChunkBatch[]>,
  heartbeatMs: number,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  let silent = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      heartbeat = setInterval(() => {
        if (silent && (controller.desiredSize ?? 0) > 0) {
          controller.enqueue(encoder.encode(': keep-alive\n\n'));
        }
        silent = true;
      }, heartbeatMs);
    },
    async pull(controller) {
      try {
        let events = '';
        while (events === '') {
          const { done, value } = await batches.next();
          events = done ? DONE : value.map(toEvents).join('');
        }
        silent = false;
        controller.enqueue(encoder.encode(events));
        if (events !== DONE) return;
        clearInterval(heartbeat);
        controller.close();
      } catch (error) {
        clearInterval(heartbeat);
        throw error;
      }
    },
    async cancel() {
      clearInterval(heartbeat);
      await batches.return?.();
    },
  });
}

function toEvents({ sequence, firstIndex = 0, chunks }: ChunkBatch): string {
  let events = '';
  for (let index = 0; index < chunks.length; index += 1) {
    if (sequence !== undefined) events += `id: ${sequence}.${firstIndex + index}\n`;
    events += `data: ${JSON.stringify(chunks[index])}\n\n`;
  }
  return events;
}
