import type { NodeResponse } from './node-types.ts';

/** Larger chunks are written in pieces: Node holds each write in memory until the reader has taken it. */
const PIECE_BYTES = 65_536;
/** A reader that does not take one piece in this time is cut off. */
const STALL_MS = 30_000;

/**
 * Sends a web response over Node. A reader that is slow is waited for; one that takes nothing for `stallMs` is cut off, and
 * one that has gone, also before this was called, ends the body.
 */
export async function sendResponse(
  answer: Response,
  response: NodeResponse,
  stallMs: number = STALL_MS,
): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) {
    if (name !== 'set-cookie') response.setHeader(name, value);
  }
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  // The unread rest of a refused body would be parsed as the next request.
  if (answer.status === 411 || answer.status === 413 || answer.status === 408)
    response.setHeader('connection', 'close');
  if (!answer.body) {
    response.end();
    return;
  }
  const target = watch(response, stallMs);
  response.flushHeaders();
  const reader = answer.body.getReader();
  target.whenGone(() => void reader.cancel().catch(() => undefined));
  // The body failed while the reader was slow.
  reader.closed.catch(() => response.destroy());
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (let at = 0; at < value.byteLength && !target.isGone(); at += PIECE_BYTES) {
      if (!response.write(value.subarray(at, at + PIECE_BYTES))) await target.taken();
    }
  }
  response.end();
  await target.taken();
}

interface Target {
  readonly isGone: () => boolean;
  /** Called once; at once if the reader has gone already. */
  readonly whenGone: (tell: () => void) => void;
  /** Until the reader has taken what was written, or has gone; one that takes too long is cut off. */
  readonly taken: () => Promise<void>;
}

function watch(response: NodeResponse, stallMs: number): Target {
  let isGone = response.destroyed === true;
  let goOn = (): void => undefined;
  let tell = (): void => undefined;
  const leave = (): void => {
    if (!isGone) tell();
    isGone = true;
    goOn();
  };
  response.on('close', leave);
  response.on('error', leave);
  response.on('drain', () => goOn());
  response.on('finish', () => goOn());
  return {
    isGone: () => isGone,
    whenGone(listener) {
      tell = listener;
      if (isGone) listener();
    },
    async taken() {
      if (isGone || response.writableFinished) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        goOn = resolve;
        timer = setTimeout(() => response.destroy(), stallMs);
      });
      clearTimeout(timer);
    },
  };
}
