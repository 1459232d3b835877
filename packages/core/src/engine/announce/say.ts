import { StreamNotActiveError } from '../../errors/session-errors.ts';
import type { StreamChunk } from '../../stream/chunks.ts';
import type { StreamEntry, StreamManager } from '../../stream/stream-manager.ts';
import { closeIfOver, type StateFor } from './close-stream.ts';

const ATTEMPTS = 4;

/** What is going on, what a commit made true, what ends a session, what an application adds whenever it likes. */
export type Weight = 'live' | 'fact' | 'last' | 'addition';

export interface Said {
  readonly entry: StreamEntry;
  readonly weight: Weight;
}

/** One write. On a stream that was closed: only what may still be said, after opening it again; perhaps nothing. */
export async function say(
  streams: StreamManager,
  stateFor: StateFor,
  streamId: string,
  all: readonly Said[],
): Promise<number | null> {
  let said = all;
  let failed = false;
  let reopened = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const entries = said.map(({ entry }) => entry);
      const head = await append(streams, streamId, entries);
      if (reopened) await closeAgain(streams, stateFor, streamId, said);
      return head;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      if (!StreamNotActiveError.isInstance(error)) {
        // Perhaps it was written: only what has a key can be said again, and once.
        said = said.filter(({ entry }) => entry.dedupeKey !== undefined);
        if (failed || said.length === 0) throw error;
        failed = true;
        continue;
      }
      said = await stillToSay(streams, stateFor, streamId, said);
      if (said.length === 0) return null;
      await streams.reactivateStream?.(streamId);
      reopened = true;
    }
  }
}

/** Of a stream that somebody has closed. */
async function stillToSay(
  streams: StreamManager,
  stateFor: StateFor,
  streamId: string,
  said: readonly Said[],
): Promise<readonly Said[]> {
  const lasting = said.filter(({ weight }) => weight !== 'live');
  if (lasting.some(({ weight }) => weight === 'last')) return lasting;
  const wanted = await stateFor(streamId);
  if (wanted?.as === 'active') return said;
  if (wanted === null || lasting.length === 0) return [];
  // Closed by somebody who is late (a run that ended before, a client that attached): not as its session is.
  const isRight = (await streams.getStreamInfo?.(streamId))?.status === wanted.as;
  return isRight ? lasting.filter(({ weight }) => weight === 'addition') : lasting;
}

/** A stream that was opened for an addition alone has nobody else who closes it. */
async function closeAgain(
  streams: StreamManager,
  stateFor: StateFor,
  streamId: string,
  said: readonly Said[],
): Promise<void> {
  if (said.every(({ weight }) => weight === 'addition'))
    await closeIfOver(streams, stateFor, streamId);
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
