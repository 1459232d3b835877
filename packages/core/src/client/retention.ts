import type { EngineContext } from '../engine/context.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import { writeCursor } from '../store/cursor.ts';
import type { SessionRef, SessionRow } from '../store/rows.ts';
import type { Page, SessionIndex, SessionStore } from '../store/session-store.ts';
import { canCarry } from '../stream/in-one-database.ts';
import type { StreamManager } from '../stream/stream-manager.ts';
import { childRef } from '../store/session-place.ts';

/** Statuses of sessions that have no run in progress and wait for no person. */
export type RestingStatus = 'completed' | 'failed' | 'interrupted';

const RESTING: readonly RestingStatus[] = ['completed', 'failed', 'interrupted'];
const DEFAULT_PRUNED: readonly RestingStatus[] = ['completed', 'failed'];
const DEFAULT_LIMIT = 1_000;
const PAGE = 100;

export interface PruneOptions {
  /** Milliseconds since the session last changed. */
  readonly olderThan: number;
  /** Default `completed` and `failed`. */
  readonly statuses?: readonly RestingStatus[];
  /** How many sessions are looked at. Default 1,000. */
  readonly limit?: number;
  /** Where the last call stopped. */
  readonly cursor?: string;
}

export interface PruneSummary {
  /** Sessions that were deleted, each with all below it. */
  readonly pruned: number;
  /** For the next call; null when all were looked at. */
  readonly cursor: string | null;
}

export interface TrimOptions {
  /** Milliseconds since the session last changed. */
  readonly olderThan: number;
  /** How many sessions are looked at. Default 1,000. */
  readonly limit?: number;
  /** Where the last call stopped. */
  readonly cursor?: string;
}

export interface TrimSummary {
  /** Streams with chunks of earlier runs, which are gone now. */
  readonly trimmed: number;
  /** For the next call; null when all were looked at. */
  readonly cursor: string | null;
}

/** Deletes old sessions and old chunks. A session that waits for a person is never deleted. */
export class Retention {
  readonly #ctx: EngineContext;
  readonly #index: SessionIndex;
  readonly #streams: StreamManager;

  constructor(ctx: EngineContext, index: SessionIndex, streams: StreamManager) {
    this.#ctx = ctx;
    this.#index = index;
    this.#streams = streams;
  }

  async pruneSessions(options: PruneOptions): Promise<PruneSummary> {
    const { statuses = DEFAULT_PRUNED, limit = DEFAULT_LIMIT } = options;
    const wrong = statuses.find((status) => !RESTING.includes(status));
    if (wrong !== undefined) {
      const message = `"${wrong}" is not one of ${RESTING.join(', ')}: end such sessions first`;
      throw new InvalidRequestError([{ path: 'statuses', message }]);
    }
    let pruned = 0;
    const cursor = await this.#eachOld(statuses, { ...options, limit }, async (session) => {
      if (await this.#prune(session)) pruned += 1;
    });
    return { pruned, cursor };
  }

  async trimStreams(options: TrimOptions): Promise<TrimSummary> {
    const streams = this.#streams;
    if (!streams.trimStream) {
      const message = 'this stream manager has no trimStream: use one that has, or prune sessions';
      throw new InvalidRequestError([{ path: 'streamManager', message }]);
    }
    const limit = options.limit ?? DEFAULT_LIMIT;
    let trimmed = 0;
    const cursor = await this.#eachOld(RESTING, { ...options, limit }, async (session) => {
      const [run] = await this.#ctx.databases.of(session).readRuns(session, { last: 1 });
      if (!run || run.startSequence === 0) return;
      // A run that starts meanwhile writes chunks after this number.
      await streams.trimStream?.(session.streamId, run.startSequence);
      trimmed += 1;
    });
    return { trimmed, cursor };
  }

  /** Newest first, from the age on. Says where it stopped. */
  async #eachOld(
    status: readonly RestingStatus[],
    options: { readonly olderThan: number; readonly limit: number; readonly cursor?: string },
    visit: (session: SessionRow) => Promise<void>,
  ): Promise<string | null> {
    let left = checkCount('limit', options.limit);
    const before = this.#ctx.clock.now() - checkCount('olderThan', options.olderThan);
    let cursor: string | null = options.cursor ?? writeCursor([before, '']);
    while (cursor !== null && left > 0) {
      const limit = Math.min(PAGE, left);
      const page: Page<SessionRow> = await this.#index.listSessions({ status, limit, cursor });
      for (const session of page.items) await visit(session);
      left -= limit;
      ({ cursor } = page);
    }
    return cursor;
  }

  /**
   * One conditional write: a session that was claimed since it was read has another version, and stays. Rows in other
   * databases are deleted after it; if this process dies in between they remain there, which is harmless.
   */
  async #prune(session: SessionRow): Promise<boolean> {
    const store = this.#ctx.databases.of(session);
    const calls = await store.readCalls(session.rootId);
    if (calls.some((call) => call.state === 'open')) return false;
    const apart = await this.#childrenApart(session);
    if (apart === null) return false;
    const { version, streamId } = session;
    if (!(await store.deleteSession(session, { version }))) return false;
    for (const child of apart) await this.#ctx.databases.of(child).deleteSession(child);
    await this.#letGoOfStream(store, streamId);
    return true;
  }

  /**
   * A stream in the same database was deleted with the session; if there is one now, it belongs to a new session with the same
   * id. A stream that cannot be deleted is logged, so that other sessions are still pruned.
   */
  async #letGoOfStream(store: SessionStore, streamId: string): Promise<void> {
    const streams = this.#streams;
    try {
      if (canCarry(store, streams)) await streams.wake(streamId);
      else await streams.deleteStream?.(streamId);
    } catch (error) {
      this.#ctx.logger.warn('retention.stream_left', { streamId, error: String(error) });
    }
  }

  /** Descendants in other databases; null while one of them is still being closed. */
  async #childrenApart(session: SessionRef): Promise<readonly SessionRef[] | null> {
    const { databases } = this.#ctx;
    const here = databases.of(session);
    const found: SessionRef[] = [];
    for (const { state, subSessionId } of await here.readReferences(session)) {
      if (state === 'closing') return null;
      const child = childRef(session, subSessionId);
      if (databases.of(child) === here) continue;
      const below = await this.#childrenApart(child);
      if (below === null) return null;
      found.push(child, ...below);
    }
    return found;
  }
}

function checkCount(path: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidRequestError([{ path, message: 'must be a whole number, 0 or more' }]);
}
