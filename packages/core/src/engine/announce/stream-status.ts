import type { Clock } from '../clock.ts';
import type { StreamClose, StreamEntry, StreamManager } from '../../stream/stream-manager.ts';

export interface StreamCreator {
  readonly sessionId: string;
  readonly agentType: string;
}

/** Makes the stream active; with `creator` it exists afterwards. */
export async function openStream(
  streams: StreamManager,
  streamId: string,
  creator: StreamCreator | undefined,
): Promise<void> {
  if (creator && streams.openStream) {
    await streams.openStream(streamId, creator.sessionId, creator.agentType);
    return;
  }
  await streams.reactivateStream?.(streamId);
  if (!creator) return;
  await (await streams.createWriter(streamId, creator.sessionId, creator.agentType)).close();
}

/** How another process ended the run that the stream was opened for; null if the run goes on. */
export type EndedMeanwhile = () => Promise<StreamClose | null>;

/** If opening takes longer, the engine checks whether the run was ended meanwhile. */
const LATE_MS = 100;

/** The same; if another process ended the run while the stream was being opened, it is closed again. */
export async function openUnlessEnded(
  streams: StreamManager,
  clock: Pick<Clock, 'now'>,
  streamId: string,
  options: {
    readonly creator: StreamCreator | undefined;
    readonly endedMeanwhile: EndedMeanwhile | undefined;
  },
): Promise<void> {
  const began = clock.now();
  await openStream(streams, streamId, options.creator);
  const ended = clock.now() - began < LATE_MS ? null : await options.endedMeanwhile?.();
  if (ended) await closeStream(streams, streamId, ended);
}

/** False: the caller has to use two writes. If this one was applied after all, they are refused or recognised by their keys. */
export async function appendAndClose(
  streams: StreamManager,
  streamId: string,
  entries: readonly StreamEntry[],
  how: StreamClose,
): Promise<boolean> {
  if (!streams.appendAndClose) return false;
  try {
    await streams.appendAndClose(streamId, entries, how, { create: false });
    return true;
  } catch {
    return false;
  }
}

export async function closeStream(
  streams: StreamManager,
  streamId: string,
  how: StreamClose,
): Promise<void> {
  switch (how.as) {
    case 'paused':
      await streams.pauseStream?.(streamId);
      return;
    case 'ended':
      await streams.endStream(streamId, how.output);
      return;
    case 'failed':
      await streams.failStream(streamId, how.error);
  }
}

/** What the stream of that root should be, by the root's session; null when there is none. */
export type StateFor = (rootId: string) => Promise<StreamState | null>;
export type StreamState = StreamClose | { readonly as: 'active' };
