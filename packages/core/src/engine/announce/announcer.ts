import type { Logger } from '../../logger.ts';
import type { SessionStore } from '../../store/session-store.ts';
import { canCarry, type CarriedStreams, type StreamWrite } from '../../stream/in-one-database.ts';
import type {
  StreamClose,
  StreamEntry,
  StreamInfo,
  StreamManager,
} from '../../stream/stream-manager.ts';
import type { Clock } from '../clock.ts';
import { closeStream, type StateFor } from './close-stream.ts';
import { say, type Said, type Weight } from './say.ts';
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
  /** What an application has to add, also when the run is over: a closed stream is opened for it and closed again. */
  add(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** What is going on: text as it comes, a tool that begins. Left out once the root's run is over. */
  stream(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** The same within 25 ms and in order with the rest: steps that follow each other quickly share a write. */
  later(streamId: string, entries: readonly StreamEntry[], weight: 'live' | 'fact'): void;
  /** Returns when all that was said so far is written. */
  flush(streamId: string): Promise<void>;
  /** Returns when nothing is being written: what is said next goes out at once. */
  idle(streamId: string): Promise<void>;
  /** Makes the stream active again; with `creator` it is there afterwards, even when nothing was said yet. */
  open(streamId: string, creator?: StreamCreator, endedMeanwhile?: EndedMeanwhile): Promise<void>;
  /** Says what a commit has made true and closes the stream, in one write where the manager can. */
  finish(streamId: string, entries: readonly StreamEntry[], how: StreamClose): Promise<void>;
  /** Whether commits of this store can say themselves what they make true. */
  isCarriedBy(store: SessionStore): boolean;
  /**
   * Hands a commit all that waits to be written, then `write`, to be said with it; says whether it was applied. What a refused
   * commit was to say besides `write` goes on waiting.
   */
  carry(write: StreamWrite, commit: (write: StreamWrite) => Promise<boolean>): Promise<boolean>;
  info(streamId: string): Promise<StreamInfo | null>;
  /** Highest number this process has seen in the stream. */
  head(streamId: string): number;
  forget(streamId: string): void;
}

/** After so long it is asked. */
const LATE_MS = 100;

/** How somebody else ended the run that a stream was opened for, if that took long. */
export type EndedMeanwhile = () => Promise<StreamClose | null>;

export interface StreamCreator {
  readonly sessionId: string;
  readonly agentType: string;
}

/** `stateFor`: what the stream of that root should be, by the root's session; null when there is none. */
export function createAnnouncer(
  streams: StreamManager,
  logger: Logger,
  clock: Pick<Clock, 'now' | 'setTimer'>,
  stateFor: StateFor = async () => null,
): Announcer {
  const heads = new Map<string, number>();
  const write = async (streamId: string, said: readonly Said[]): Promise<void> => {
    if (said.length === 0) return;
    const head = await guarded('append', streamId, () => say(streams, stateFor, streamId, said));
    seen(streamId, head);
  };
  const queues = new StreamQueues(clock, write);
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
    queues.add(streamId, weighed(entries, weight));
    return queues.flush(streamId);
  };
  return {
    head: (streamId) => heads.get(streamId) ?? 0,
    forget: (streamId) => void heads.delete(streamId),
    announce: (streamId, entries) => sayNow(streamId, entries, 'fact'),
    add: (streamId, entries) => sayNow(streamId, entries, 'addition'),
    announceLast: (streamId, entries) => sayNow(streamId, entries, 'last'),
    stream: (streamId, entries) => sayNow(streamId, entries, 'live'),
    later: (streamId, entries, weight) => void queues.addLater(streamId, weighed(entries, weight)),
    flush: (streamId) => queues.flush(streamId),
    idle: (streamId) => queues.idle(streamId),
    async open(streamId, creator, endedMeanwhile) {
      await queues.after(streamId, () =>
        guarded('open', streamId, async () => {
          const began = clock.now();
          await openStream(streams, streamId, creator);
          const ended = clock.now() - began < LATE_MS ? null : await endedMeanwhile?.();
          if (ended) await closeStream(streams, streamId, ended);
        }),
      );
    },
    async finish(streamId, entries, how) {
      queues.add(streamId, weighed(entries, 'fact'));
      await queues.take(streamId, async (said) => {
        if (await finishAtOnce(streams, streamId, said, how)) return;
        await write(streamId, said);
        await guarded(how.as, streamId, () => closeStream(streams, streamId, how));
      });
    },
    isCarriedBy: (store) => canCarry(store, streams),
    async carry(write, commit) {
      const isApplied = await carry(queues, write, commit);
      if (isApplied) await guarded('wake', write.streamId, () => wake(streams, write.streamId));
      return isApplied;
    },
    async info(streamId) {
      const info = await guarded('info', streamId, async () => streams.getStreamInfo?.(streamId));
      seen(streamId, info?.head ?? null);
      return info ?? null;
    },
  };
}

function carry(
  queues: StreamQueues,
  write: StreamWrite,
  commit: (write: StreamWrite) => Promise<boolean>,
): Promise<boolean> {
  return queues.take(write.streamId, async (said) => {
    const waiting = said.map(({ entry }) => entry);
    // Until it is known that nothing was written, only what has a key can be said again.
    let left = said.filter(({ entry }) => entry.dedupeKey !== undefined);
    try {
      const isApplied = await commit({ ...write, entries: [...waiting, ...write.entries] });
      left = isApplied ? [] : [...said];
      return isApplied;
    } finally {
      queues.putBack(write.streamId, left);
    }
  });
}

async function wake(
  streams: StreamManager & Partial<CarriedStreams>,
  streamId: string,
): Promise<void> {
  await streams.wake?.(streamId);
}

function weighed(entries: readonly StreamEntry[], weight: Weight): Said[] {
  return entries.map((entry) => ({ entry, weight }));
}

async function openStream(
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

/** False: it has to be done in two. Perhaps it was done: what was written then is refused, or has its keys. */
async function finishAtOnce(
  streams: StreamManager,
  streamId: string,
  said: readonly Said[],
  how: StreamClose,
): Promise<boolean> {
  if (!streams.appendAndClose) return false;
  try {
    const entries = said.map(({ entry }) => entry);
    await streams.appendAndClose(streamId, entries, how);
    return true;
  } catch {
    return false;
  }
}
