export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must neither cache, compress nor buffer it.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/** The source of the events, already encoded. */
export interface FrameSource {
  readonly frames: AsyncIterator<Uint8Array, unknown>;
  /** Ends the frames, also while one is being waited for. */
  readonly close: () => void;
}

/** Limits per reader. */
export interface ReaderLimits {
  /** A comment is sent when nothing else was for this long, so that proxies keep the connection. */
  readonly heartbeatMs: number;
  /** Bytes that may wait in memory, besides a piece of one frame. */
  readonly bufferBytes: number;
  /** A reader that takes nothing for this long is cut off. */
  readonly stallMs: number;
}

export const DEFAULT_READER_LIMITS: ReaderLimits = {
  heartbeatMs: 15_000,
  bufferBytes: 65_536,
  stallMs: 30_000,
};

export interface EventStreamOptions extends ReaderLimits {
  /** Sent first: how long a browser waits before it reconnects; null: not sent. */
  readonly retryMs: number | null;
  readonly onHeartbeat: () => void;
  readonly onStall: () => void;
}

/**
 * Writes server-sent events.
 *
 * I1. At most `bufferBytes` and one frame wait in memory: the next frame is read only when the reader has room. Large
 *     frames are sent in pieces, without a copy: many readers may share them.
 * I2. A reader that takes nothing for `stallMs` is cut off. It continues later after the last `id` it got.
 * I3. No timer outlives the stream, and the source is closed with it.
 */
export function eventStream(
  { frames, close }: FrameSource,
  options: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const { heartbeatMs, bufferBytes, stallMs } = options;
  /** The reader has room and the source has nothing. */
  let isWaiting = false;
  let fullSince = Date.now();
  let sentAt = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const nextPiece = inPieces(frames);

  const stop = (): void => {
    clearInterval(timer);
    close();
  };
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const now = Date.now();
    if (!isWaiting) {
      if (now - fullSince < stallMs) return;
      options.onStall();
      stop();
      controller.error(new Error('the reader took nothing for too long'));
    } else if (now - sentAt >= heartbeatMs && (controller.desiredSize ?? -1) >= 0) {
      sentAt = now;
      controller.enqueue(encoder.encode(': heartbeat\n\n'));
      options.onHeartbeat();
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (options.retryMs !== null) controller.enqueue(retryFrame(options.retryMs));
        const everyMs = Math.max(5, Math.min(heartbeatMs, stallMs) / 2);
        timer = setInterval(() => watch(controller), everyMs);
      },
      async pull(controller) {
        isWaiting = true;
        try {
          const piece = await nextPiece();
          if (piece === null) stop();
          sentAt = Date.now();
          if (piece) controller.enqueue(piece);
          else controller.close();
        } catch (error) {
          stop();
          throw error;
        } finally {
          isWaiting = false;
          fullSince = Date.now();
        }
      },
      cancel: stop,
    },
    { highWaterMark: bufferBytes, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}

/** A reader that takes a piece of this size is not stalled. */
const PIECE_BYTES = 65_536;

/** The bytes of the frames, a piece at a time; null when they are over. */
function inPieces(frames: FrameSource['frames']): () => Promise<Uint8Array | null> {
  let rest: Uint8Array | undefined;
  return async () => {
    if (!rest) {
      const { done, value } = await frames.next();
      if (done) return null;
      rest = value as Uint8Array;
    }
    const piece = rest.subarray(0, PIECE_BYTES);
    rest = rest.byteLength > PIECE_BYTES ? rest.subarray(PIECE_BYTES) : undefined;
    return piece;
  };
}

function retryFrame(milliseconds: number): Uint8Array {
  return encoder.encode(`retry: ${milliseconds}\n\n`);
}

const encoder = new TextEncoder();
