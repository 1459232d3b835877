import type { SessionRow } from '../../store/rows.ts';
import type { StreamChunk } from '../../stream/chunks.ts';
import { plainChunk } from '../../stream/plain-chunk.ts';
import type { EngineContext } from '../context.ts';
import { entry, speakerOf } from './chunk-entries.ts';

type Write = (chunk: StreamChunk) => Promise<void>;

/**
 * Sends an event of the application. Rejects if it is not plain data or too large. Often the promise is not awaited, so a
 * rejection never becomes an unhandled one.
 */
export function sendEvent(
  ctx: EngineContext,
  session: SessionRow,
  body: { readonly name: string; readonly data: unknown },
  write: Write,
): Promise<void> {
  const made = entry(speakerOf(session), ctx.clock.now(), 'custom', body as never);
  return sendChunk(ctx, made.chunk, write);
}

export function sendChunk(ctx: EngineContext, chunk: StreamChunk, write: Write): Promise<void> {
  const sent = send(ctx, chunk, write);
  sent.catch(() => undefined);
  return sent;
}

async function send(ctx: EngineContext, chunk: StreamChunk, write: Write): Promise<void> {
  await write(plainChunk(chunk, ctx.limits.maxEventBytes));
}
