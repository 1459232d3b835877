import { chunkFrame, eventStream, formatNamedEvent } from '@helix-agents/http';
import type { SseOptions } from '../config.ts';
import type { FeedEvent, SessionFeed } from './session-feed.ts';

/** How long a browser waits before it reconnects. */
const RETRY_MS = 2_000;

/** A feed as server-sent events. While it is silent, the store is asked whether the stream is up to date. */
export function feedEvents(
  feed: SessionFeed,
  limits: Required<SseOptions>,
  onStall: () => void,
): ReadableStream<Uint8Array> {
  return eventStream(
    { frames: framesOf(feed), close: () => feed.close() },
    {
      ...limits,
      retryMs: RETRY_MS,
      onHeartbeat: () => void feed.catchUp().catch(() => undefined),
      onStall,
    },
  );
}

async function* framesOf(feed: SessionFeed): AsyncGenerator<Uint8Array, undefined> {
  for await (const event of feed) yield frameOf(event);
  return undefined;
}

const encoder = new TextEncoder();

/** Chunks are plain messages with their number as `id`; the others have a name and no number. */
function frameOf(event: FeedEvent): Uint8Array {
  if (event.type === 'chunk') return chunkFrame(event);
  return encoder.encode(formatNamedEvent(event.type, event.data));
}
