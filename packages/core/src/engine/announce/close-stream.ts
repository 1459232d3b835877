import type { StreamClose, StreamManager } from '../../stream/stream-manager.ts';

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

/** Opened for a run that is over: nobody else closes it. */
export async function closeIfOver(
  streams: StreamManager,
  stateFor: StateFor,
  streamId: string,
): Promise<void> {
  const wanted = await stateFor(streamId);
  if (wanted && wanted.as !== 'active') await closeStream(streams, streamId, wanted);
}
