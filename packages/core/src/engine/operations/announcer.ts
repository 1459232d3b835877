import type { JsonValue } from '../../json.ts';
import type { Logger } from '../../logger.ts';
import type { StreamChunk } from '../../stream/chunks.ts';
import type { StreamEntry, StreamInfo, StreamManager } from '../../stream/stream-manager.ts';

/**
 * The engine's way into streams. A stream is a notification: when its store is down the run goes on, the failure is
 * logged, and whoever attaches later announces what is missing from the session's rows.
 */
export interface Announcer {
  announce(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** Makes the stream active again; with `creator` it is there afterwards, even when nothing was said yet. */
  open(streamId: string, creator?: StreamCreator): Promise<void>;
  close(streamId: string, how: StreamClose): Promise<void>;
  info(streamId: string): Promise<StreamInfo | null>;
  /** Highest number this process has seen in the stream. */
  head(streamId: string): number;
  forget(streamId: string): void;
}

export interface StreamCreator {
  readonly sessionId: string;
  readonly agentType: string;
}

export type StreamClose =
  | { readonly as: 'paused' }
  | { readonly as: 'ended'; readonly output: JsonValue }
  | { readonly as: 'failed'; readonly error: string };

export function createAnnouncer(streams: StreamManager, logger: Logger): Announcer {
  const guarded = async <T>(
    what: string,
    streamId: string,
    work: () => Promise<T>,
  ): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      logger.warn('stream.write_failed', { streamId, what, error: String(error) });
      return null;
    }
  };
  const heads = new Map<string, number>();
  const seen = (streamId: string, head: number | null): void => {
    if (head !== null) heads.set(streamId, Math.max(head, heads.get(streamId) ?? 0));
  };
  return {
    head: (streamId) => heads.get(streamId) ?? 0,
    forget: (streamId) => void heads.delete(streamId),
    async announce(streamId, entries) {
      if (entries.length === 0) return;
      seen(streamId, await guarded('append', streamId, () => append(streams, streamId, entries)));
    },
    async open(streamId, creator) {
      await guarded('reactivate', streamId, async () => {
        await streams.reactivateStream?.(streamId);
        if (!creator) return;
        const { sessionId, agentType } = creator;
        await (await streams.createWriter(streamId, sessionId, agentType)).close();
      });
    },
    async close(streamId, how) {
      await guarded(how.as, streamId, () => closeStream(streams, streamId, how));
    },
    async info(streamId) {
      const info = await guarded('info', streamId, async () => streams.getStreamInfo?.(streamId));
      seen(streamId, info?.head ?? null);
      return info ?? null;
    },
  };
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

async function closeStream(
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
