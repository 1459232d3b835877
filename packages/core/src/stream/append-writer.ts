import { StreamNotActiveError } from '../errors/session-errors.ts';
import { plainChunk } from './plain-chunk.ts';
import type { StreamEntry, StreamWriter } from './stream-manager.ts';

/** A writer over `append`, for stream managers. */
export function createAppendWriter(
  streamId: string,
  append: (streamId: string, entries: readonly StreamEntry[]) => Promise<unknown>,
): StreamWriter {
  let closed = false;
  return {
    write: async (chunk) => {
      if (closed) throw new StreamNotActiveError(streamId, 'closed by this writer');
      await append(streamId, [{ chunk: plainChunk(chunk) }]);
    },
    close: async () => {
      closed = true;
    },
  };
}
