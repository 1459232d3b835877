import type { Logger } from '../../logger.ts';
import type { SessionStore } from '../../store/session-store.ts';
import { canCarry, type CarriedStreams, type StreamWrite } from '../../stream/in-one-database.ts';
import type {
  StoredChunk,
  StreamClose,
  StreamEntry,
  StreamInfo,
  StreamManager,
} from '../../stream/stream-manager.ts';
import type { Clock } from '../clock.ts';
import { isStoreOutage } from '../../errors/store-outage.ts';
import { appendChunks, type Priority, type QueuedChunk } from './append-chunks.ts';
import {
  appendAndClose,
  closeStream,
  openUnlessEnded,
  type EndedMeanwhile,
  type StateFor,
  type StreamCreator,
} from './stream-status.ts';
import { StreamQueues } from './stream-queues.ts';

/**
 * The engine's way into streams.
 *
 * Owns: the order of what this process writes to a stream, the heads it has seen, and what becomes of a failed write.
 * Does not own: what is announced (`chunk-entries.ts` and its callers), and which chunks are missing (`unannounced-chunks.ts`).
 *
 * I1. Chunks of one stream are written in the order in which they were handed over, whichever method took them.
 * I2. No method rejects because of the stream, except `carry` with its commit: a stream is a notification. The failure is
 *     logged, the run goes on, and the next process that attaches announces what is missing. In an outage chunks with a key are kept.
 * I3. A chunk whose write may have been applied is written again only if it has a dedupe key.
 */
export interface Announcer {
  /** Chunks that a commit made true. A stream that does not match its session is reopened for them. */
  announce(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** As `announce`, but reopens any closed stream; the caller must close it again. */
  announceLast(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** Chunks that may come after the run is over: a closed stream is reopened for them and closed again. */
  add(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** Progress: text as it comes, a tool that begins. Dropped once the root's run is over. */
  stream(streamId: string, entries: readonly StreamEntry[]): Promise<void>;
  /** As `announce` or `stream`, written within 25 ms: steps that follow each other quickly share a write. */
  later(streamId: string, entries: readonly StreamEntry[], priority: 'live' | 'fact'): void;
  /** Returns when all that was handed over so far is written. */
  flush(streamId: string): Promise<void>;
  /** Returns when nothing is being written: what is handed over next goes out at once. */
  idle(streamId: string): Promise<void>;
  /** Makes the stream active; with `creator` it exists afterwards, even when nothing was written to it yet. */
  open(streamId: string, creator?: StreamCreator, endedMeanwhile?: EndedMeanwhile): Promise<void>;
  /** Deletes the stream if its root's session is gone: it was opened again, or first, when the session had been deleted. */
  dropDeleted(streamId: string): Promise<void>;
  /** Writes chunks that a commit made true and closes the stream, in one write where the manager can. */
  finish(streamId: string, entries: readonly StreamEntry[], how: StreamClose): Promise<void>;
  /** Whether commits to this store can carry writes to its streams. */
  isCarriedBy(store: SessionStore): boolean;
  /**
   * Hands the commit all that waits to be written, followed by `write`; returns whether it was applied. If it was refused,
   * what waited goes on waiting.
   */
  carry(write: StreamWrite, commit: (write: StreamWrite) => Promise<boolean>): Promise<boolean>;
  info(streamId: string): Promise<StreamInfo | null>;
  /**
   * At most `limit` chunks right before a number, in order; null: at the end of the stream, after what this process has
   * queued. None when they cannot be read.
   */
  readBefore(
    streamId: string,
    before: number | null,
    limit: number,
  ): Promise<readonly StoredChunk[]>;
  /** Highest number this process has seen in the stream. */
  head(streamId: string): number;
  /** Nothing more is written for its run: what could not be written is left to the next owner. */
  forget(streamId: string): void;
}

type AnnouncerClock = Pick<Clock, 'now' | 'setTimer'>;

/** `stateFor`: what the stream of that root should be, by the root's session; null when there is none. */
export function createAnnouncer(
  streams: StreamManager,
  logger: Logger,
  clock: AnnouncerClock,
  stateFor: StateFor = async () => null,
): Announcer {
  return new StreamAnnouncer(streams, logger, clock, stateFor);
}

class StreamAnnouncer implements Announcer {
  readonly #streams: StreamManager;
  readonly #logger: Logger;
  readonly #clock: AnnouncerClock;
  readonly #stateFor: StateFor;
  readonly #heads = new Map<string, number>();
  readonly #queues: StreamQueues;

  constructor(streams: StreamManager, logger: Logger, clock: AnnouncerClock, stateFor: StateFor) {
    this.#streams = streams;
    this.#logger = logger;
    this.#clock = clock;
    this.#stateFor = stateFor;
    this.#queues = new StreamQueues(clock, (streamId, queued) => this.#write(streamId, queued));
  }

  head(streamId: string): number {
    return this.#heads.get(streamId) ?? 0;
  }

  forget(streamId: string): void {
    this.#heads.delete(streamId);
    void this.#queues.forget(streamId);
  }

  announce(streamId: string, entries: readonly StreamEntry[]): Promise<void> {
    return this.#writeNow(streamId, entries, 'fact');
  }

  announceLast(streamId: string, entries: readonly StreamEntry[]): Promise<void> {
    return this.#writeNow(streamId, entries, 'last');
  }

  add(streamId: string, entries: readonly StreamEntry[]): Promise<void> {
    return this.#writeNow(streamId, entries, 'addition');
  }

  stream(streamId: string, entries: readonly StreamEntry[]): Promise<void> {
    return this.#writeNow(streamId, entries, 'live');
  }

  later(streamId: string, entries: readonly StreamEntry[], priority: 'live' | 'fact'): void {
    this.#queues.addLater(streamId, prioritised(entries, priority));
  }

  flush(streamId: string): Promise<void> {
    return this.#queues.flush(streamId);
  }

  idle(streamId: string): Promise<void> {
    return this.#queues.idle(streamId);
  }

  async open(
    streamId: string,
    creator?: StreamCreator,
    endedMeanwhile?: EndedMeanwhile,
  ): Promise<void> {
    const open = (): Promise<void> =>
      openUnlessEnded(this.#streams, this.#clock, streamId, { creator, endedMeanwhile });
    await this.#queues.after(streamId, () => this.#guarded('open', streamId, open));
  }

  async dropDeleted(streamId: string): Promise<void> {
    const drop = async (): Promise<void> => {
      if ((await this.#stateFor(streamId)) === null) await this.#streams.deleteStream?.(streamId);
    };
    await this.#queues.after(streamId, () => this.#guarded('delete', streamId, drop));
  }

  async finish(streamId: string, entries: readonly StreamEntry[], how: StreamClose): Promise<void> {
    this.#queues.add(streamId, prioritised(entries, 'fact'));
    await this.#queues.take(streamId, async (queued) => {
      const all = queued.map(({ entry }) => entry);
      if (await appendAndClose(this.#streams, streamId, all, how)) return;
      await this.#write(streamId, queued);
      await this.#guarded(how.as, streamId, () => closeStream(this.#streams, streamId, how));
    });
  }

  isCarriedBy(store: SessionStore): boolean {
    return canCarry(store, this.#streams);
  }

  async carry(
    write: StreamWrite,
    commit: (write: StreamWrite) => Promise<boolean>,
  ): Promise<boolean> {
    const { streamId } = write;
    const isApplied = await this.#queues.carry(streamId, (queued) => {
      const entries = [...queued.map(({ entry }) => entry), ...write.entries];
      return commit({ ...write, entries });
    });
    if (isApplied) await this.#guarded('wake', streamId, () => this.#wake(streamId));
    return isApplied;
  }

  async info(streamId: string): Promise<StreamInfo | null> {
    const read = async () => this.#streams.getStreamInfo?.(streamId);
    const info = await this.#guarded('info', streamId, read);
    this.#see(streamId, info?.head ?? null);
    return info ?? null;
  }

  async readBefore(
    streamId: string,
    before: number | null,
    limit: number,
  ): Promise<readonly StoredChunk[]> {
    if (before === null) await this.flush(streamId);
    const end = before ?? ((await this.info(streamId))?.head ?? 0) + 1;
    const after = Math.max(0, end - 1 - limit);
    if (end - 1 === after) return [];
    const chunks = await this.#guarded('read', streamId, async () =>
      this.#streams.readChunks?.(streamId, { after, limit: end - 1 - after }),
    );
    return chunks ?? [];
  }

  #writeNow(streamId: string, entries: readonly StreamEntry[], priority: Priority): Promise<void> {
    if (entries.length === 0) return Promise.resolve();
    this.#queues.add(streamId, prioritised(entries, priority));
    return this.#queues.flush(streamId);
  }

  async #write(streamId: string, queued: readonly QueuedChunk[]): Promise<void> {
    if (queued.length === 0) return;
    const target = { streams: this.#streams, stateFor: this.#stateFor, streamId };
    const append = (): Promise<number | null> =>
      appendChunks(target, queued).catch((error: unknown) => {
        // I3: those may be written again.
        const keyed = queued.filter(({ entry }) => entry.dedupeKey !== undefined);
        if (isStoreOutage(error)) this.#queues.keep(streamId, keyed);
        throw error;
      });
    this.#see(streamId, await this.#guarded('append', streamId, append));
  }

  async #guarded<T>(what: string, streamId: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#logger.warn('stream.write_failed', { streamId, what, error: String(error) });
      return null;
    }
  }

  async #wake(streamId: string): Promise<void> {
    const streams: StreamManager & Partial<CarriedStreams> = this.#streams;
    await streams.wake?.(streamId);
  }

  #see(streamId: string, head: number | null): void {
    if (head !== null) this.#heads.set(streamId, Math.max(head, this.head(streamId)));
  }
}

function prioritised(entries: readonly StreamEntry[], priority: Priority): QueuedChunk[] {
  return entries.map((entry) => ({ entry, priority }));
}
