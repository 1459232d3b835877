import type { SseOptions } from '../config.ts';
import type { FeedEvent, SessionFeed } from './session-feed.ts';

/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000;

export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must neither keep, compress nor collect it.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/**
 * A feed as server-sent events.
 *
 * I1. At most `bufferBytes` and one event wait in memory: the feed is read only when the reader took something.
 * I2. A reader that takes nothing for `stallMs` is cut off. It goes on later after the last `id` it got.
 * I3. No timer outlives the stream.
 */
export function eventStream(
  feed: SessionFeed,
  { heartbeatMs, bufferBytes, stallMs }: Required<SseOptions>,
  onStall: () => void,
): ReadableStream<Uint8Array> {
  const events = feed[Symbol.asyncIterator]();
  let wantedAt = Date.now();
  let sentAt = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;

  const stop = (): void => {
    clearInterval(timer);
    feed.close();
  };
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const now = Date.now();
    if ((controller.desiredSize ?? 0) <= 0) {
      if (now - wantedAt < stallMs) return;
      onStall();
      stop();
      controller.error(new Error('the reader took nothing for too long'));
    } else if (now - sentAt >= heartbeatMs) {
      sentAt = now;
      controller.enqueue(encoder.encode(': heartbeat\n\n'));
      feed.catchUp().catch(() => undefined);
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
        const everyMs = Math.max(5, Math.min(heartbeatMs, stallMs) / 2);
        timer = setInterval(() => watch(controller), everyMs);
      },
      async pull(controller) {
        wantedAt = Date.now();
        const { done, value } = await events.next();
        if (done) {
          stop();
          controller.close();
          return;
        }
        sentAt = Date.now();
        controller.enqueue(frameOf(value));
      },
      cancel: stop,
    },
    { highWaterMark: bufferBytes, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}

const encoder = new TextEncoder();
const frames = new WeakMap<FeedEvent, Uint8Array>();

/** An event as bytes; those of one that many readers are handed are made once. */
export function frameOf(event: FeedEvent): Uint8Array {
  const known = frames.get(event);
  if (known) return known;
  const frame = encoder.encode(formatEvent(event));
  frames.set(event, frame);
  return frame;
}

/** Chunks are plain messages with their number as `id`; the others have a name and no number. */
function formatEvent(event: FeedEvent): string {
  return event.type === 'chunk'
    ? `id: ${event.sequence}\ndata: ${JSON.stringify(event.chunk)}\n\n`
    : `event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
