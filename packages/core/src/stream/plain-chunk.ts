import { HelixError } from '../errors/helix-error.ts';
import { describeFault, toJsonValue } from '../util/to-json-value.ts';
import type { StreamChunk } from './chunks.ts';

/** A chunk that the application made, as plain data. Throws where it has no JSON form or is too large. */
export function plainChunk(chunk: StreamChunk, maxBytes?: number): StreamChunk {
  const converted = toJsonValue(chunk, maxBytes);
  if (converted.ok) return converted.value as unknown as StreamChunk;
  throw new HelixError({
    code: converted.isTooLarge ? 'event_too_large' : 'event_unserializable',
    message: `The event was not sent: ${describeFault(converted)}. Send plain data, or a reference to it.`,
  });
}
