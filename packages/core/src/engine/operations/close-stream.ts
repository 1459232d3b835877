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
