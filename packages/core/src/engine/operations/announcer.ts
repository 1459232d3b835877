import type { JsonValue } from '../../json.ts';
import type { Logger } from '../../logger.ts';
import type { StreamEntry, StreamInfo, StreamManager } from '../../stream/stream-manager.ts';
import type { Clock } from './clock.ts';
import { say, type StatusFor, type Weight } from './say.ts';
import { StreamQueues } from './stream-queues.ts';

/**
 * The engine's way into streams. A stream is a notification: when its store is down the run goes on, the failure is
 * logged, and whoever attaches later announces what is missing from the session's rows.
 */
export interface Announcer {
  /** What a commit has made true. A stream that was closed by mistake is opened for it. */
  announce(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** The same from whoever ended the session, also when others have closed its stream: the caller closes it after. */
  announceLast(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** What is going on: text as it comes, a tool that begins. Left out once the root's run is over. */
  stream(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** The same within 25 ms and in order with the rest: steps that follow each other quickly share a write. */
  later(streamId: string, entries: readonly StreamEntry[], weight: 'live' | 'fact'): void;
  /** Returns when all that was said so far is written. */
  flush(streamId: string): Promise<void>;
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

/** `statusFor`: what the stream of that root should be, by the root's session; null when there is none. */
export function createAnnouncer(
  streams: StreamManager,
  logger: Logger,
  clock: Pick<Clock, 'setTimer'>,
  statusFor: StatusFor = async () => null,
): Announcer {
  const heads = new Map<string, number>();
  const queues = new StreamQueues(clock, async (streamId, said) => {
    const head = await guarded('append', streamId, () => say(streams, statusFor, streamId, said));
    seen(streamId, head);
  });
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
  const seen = (streamId: string, head: number | null): void => {
    if (head !== null) heads.set(streamId, Math.max(head, heads.get(streamId) ?? 0));
  };
  const sayNow = (
    streamId: string,
    entries: readonly StreamEntry[],
    weight: Weight,
  ): Promise<void> => {
    if (entries.length === 0) return Promise.resolve();
    queues.add(
      streamId,
      entries.map((entry) => ({ entry, weight })),
    );
    return queues.flush(streamId);
  };
  return {
    head: (streamId) => heads.get(streamId) ?? 0,
    forget: (streamId) => void heads.delete(streamId),
    announce: (streamId, entries) => sayNow(streamId, entries, 'fact'),
    announceLast: (streamId, entries) => sayNow(streamId, entries, 'last'),
    stream: (streamId, entries) => sayNow(streamId, entries, 'live'),
    later: (streamId, entries, weight) =>
      queues.addLater(
        streamId,
        entries.map((entry) => ({ entry, weight })),
      ),
    flush: (streamId) => queues.flush(streamId),
    async open(streamId, creator) {
      await queues.after(streamId, () =>
        guarded('reactivate', streamId, async () => {
          await streams.reactivateStream?.(streamId);
          if (!creator) return;
          const { sessionId, agentType } = creator;
          await (await streams.createWriter(streamId, sessionId, agentType)).close();
        }),
      );
    },
    async close(streamId, how) {
      await queues.after(streamId, () =>
        guarded(how.as, streamId, () => closeStream(streams, streamId, how)),
      );
    },
    async info(streamId) {
      const info = await guarded('info', streamId, async () => streams.getStreamInfo?.(streamId));
      seen(streamId, info?.head ?? null);
      return info ?? null;
    },
  };
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
