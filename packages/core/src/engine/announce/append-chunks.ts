import { StreamNotActiveError } from '../../errors/session-errors.ts';
import type { StreamChunk } from '../../stream/chunks.ts';
import type { StreamEntry, StreamManager } from '../../stream/stream-manager.ts';
import { closeStream, openStream, type StateFor } from './stream-status.ts';

const ATTEMPTS = 4;

/**
 * What happens to a chunk when its stream is closed or gone. `live`: progress of a run, dropped. `fact`: true by a commit, the stream
 * is reopened for it unless it was closed rightly. `last`: from the process that ended the session, always written. `addition`: from
 * the application or the late close of a sub-agent, always written.
 */
export type Priority = 'live' | 'fact' | 'last' | 'addition';

export interface QueuedChunk {
  readonly entry: StreamEntry;
  readonly priority: Priority;
}

/** The stream to write to, and what its root's session wants it to be. */
export interface StreamTarget {
  readonly streams: StreamManager;
  readonly stateFor: StateFor;
  readonly streamId: string;
}

/**
 * Appends in one write and returns the new head. A stream that is closed or gone is opened for those chunks that may still be
 * written to it; null when none may. That of a deleted session went with it and is not made again.
 */
export async function appendChunks(
  target: StreamTarget,
  all: readonly QueuedChunk[],
): Promise<number | null> {
  let queued = all;
  let failed = false;
  let opened: Opened | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const entries = queued.map(({ entry }) => entry);
      const head = await append(target, entries);
      if (opened) await closeAgain(target, opened);
      return head;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      if (!StreamNotActiveError.isInstance(error)) {
        // It may have been written: only chunks with a key can be written again without appearing twice.
        queued = queued.filter(({ entry }) => entry.dedupeKey !== undefined);
        if (failed || queued.length === 0) throw error;
        failed = true;
        continue;
      }
      opened = await allowedWhenClosed(target, queued);
      queued = opened.chunks;
      if (queued.length === 0) return null;
      await reopen(target, queued);
    }
  }
}

/** What a closed stream is opened for. */
interface Opened {
  readonly chunks: readonly QueuedChunk[];
  /** Whether its status was what the session implies: then nobody else closes it again. */
  readonly wasRight: boolean;
}

async function allowedWhenClosed(
  { streams, stateFor, streamId }: StreamTarget,
  queued: readonly QueuedChunk[],
): Promise<Opened> {
  const lasting = queued.filter(({ priority }) => priority !== 'live');
  if (lasting.some(({ priority }) => priority === 'last'))
    return { chunks: lasting, wasRight: false };
  const wanted = await stateFor(streamId);
  if (wanted?.as === 'active') return { chunks: queued, wasRight: false };
  if (wanted === null || lasting.length === 0) return { chunks: [], wasRight: false };
  // Otherwise it was closed by a stale run or client: its status does not match the session.
  const wasRight = (await streams.getStreamInfo?.(streamId))?.status === wanted.as;
  const additions = lasting.filter(({ priority }) => priority === 'addition');
  return { chunks: wasRight ? additions : lasting, wasRight };
}

async function reopen(
  { streams, streamId }: StreamTarget,
  queued: readonly QueuedChunk[],
): Promise<void> {
  const agentType = queued[0]?.entry.chunk.agentType ?? '';
  await openStream(streams, streamId, { sessionId: streamId, agentType });
}

/**
 * Nobody else closes a stream that was reopened after its end, or deletes one whose session was deleted while it was reopened. One
 * whose end is not announced yet stays open, which tells the next process so.
 */
async function closeAgain(
  { streams, stateFor, streamId }: StreamTarget,
  { wasRight }: Opened,
): Promise<void> {
  const wanted = await stateFor(streamId);
  if (wanted === null) await streams.deleteStream?.(streamId);
  else if (wanted.as !== 'active' && wasRight) await closeStream(streams, streamId, wanted);
}

async function append(
  { streams, streamId }: StreamTarget,
  entries: readonly StreamEntry[],
): Promise<number | null> {
  if (streams.append) return streams.append(streamId, entries, { create: false });
  const first = entries[0]?.chunk as StreamChunk;
  const writer = await streams.createWriter(streamId, first.agentId, first.agentType);
  for (const entry of entries) await writer.write(entry.chunk);
  await writer.close();
  return null;
}
