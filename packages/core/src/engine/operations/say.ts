import { StreamNotActiveError } from '../../errors/session-errors.ts';
import type { StreamChunk } from '../../stream/chunks.ts';
import type { StreamEntry, StreamManager, StreamStatus } from '../../stream/stream-manager.ts';

const ATTEMPTS = 4;

/** What is going on, what a commit made true, what ends a session. */
export type Weight = 'live' | 'fact' | 'last';

export interface Said {
  readonly entry: StreamEntry;
  readonly weight: Weight;
}

/** What the stream of that root should be, by the root's session; null when there is none. */
export type StatusFor = (rootId: string) => Promise<StreamStatus | null>;

/** One write. On a stream that was closed: only what may still be said, after opening it again; perhaps nothing. */
export async function say(
  streams: StreamManager,
  statusFor: StatusFor,
  streamId: string,
  all: readonly Said[],
): Promise<number | null> {
  let said = all;
  let failed = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const entries = said.map(({ entry }) => entry);
      return await append(streams, streamId, entries);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      if (!StreamNotActiveError.isInstance(error)) {
        // Perhaps it was written: only what has a key can be said again, and once.
        said = said.filter(({ entry }) => entry.dedupeKey !== undefined);
        if (failed || said.length === 0) throw error;
        failed = true;
        continue;
      }
      said = await stillToSay(streams, statusFor, streamId, said);
      if (said.length === 0) return null;
      await streams.reactivateStream?.(streamId);
    }
  }
}

/** Of a stream that somebody has closed. */
async function stillToSay(
  streams: StreamManager,
  statusFor: StatusFor,
  streamId: string,
  said: readonly Said[],
): Promise<readonly Said[]> {
  const facts = said.filter(({ weight }) => weight !== 'live');
  if (facts.some(({ weight }) => weight === 'last')) return facts;
  const wanted = await statusFor(streamId);
  if (wanted === 'active') return said;
  if (wanted === null || facts.length === 0) return [];
  // Closed by somebody who is late (a run that ended before, a client that attached): not as its session is.
  return (await streams.getStreamInfo?.(streamId))?.status === wanted ? [] : facts;
}

async function append(
  streams: StreamManager,
  streamId: string,
  entries: readonly StreamEntry[],
): Promise<number | null> {
  if (streams.append) return streams.append(streamId, entries);
  const first = entries[0]?.chunk as StreamChunk;
  const writer = await streams.createWriter(streamId, first.agentId, first.agentType);
  for (const entry of entries) await writer.write(entry.chunk);
  await writer.close();
  return null;
}
