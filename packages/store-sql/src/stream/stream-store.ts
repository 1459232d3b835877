import type {
  FullStreamManager,
  JsonValue,
  StoredChunk,
  StreamChunk,
  StreamEntry,
  StreamInfo,
  StreamReader,
  StreamWriter,
} from '@helix-agents/core';
import { StreamNotActiveError } from '@helix-agents/core';
import type { SqlDriver, Statement } from '../driver.ts';
import { renderDiscardSteps, renderResync } from './marker-statements.ts';
import { createLocalNotifier, type StreamNotifier } from './notifier.ts';
import { createSqlReader } from './reader.ts';
import { renderEnd, renderFail, renderPause, renderReactivate } from './status-statements.ts';
import {
  decodeChunk,
  decodeInfo,
  renderAppend,
  renderCreate,
  renderReadInfo,
  renderReadPage,
} from './stream-statements.ts';

/** Chunks are notifications: the rows of the session are what must survive a power loss. */
const RELAXED = { relaxed: true } as const;

export interface SqlStreamStoreOptions {
  readonly notifier?: StreamNotifier;
  readonly now?: () => number;
  /** How often a waiting reader looks for what other processes wrote; 100 by default. */
  readonly pollMs?: number;
}

export function createSqlStreamStore(
  driver: SqlDriver,
  options: SqlStreamStoreOptions = {},
): SqlStreamStore {
  return new SqlStreamStore(driver, options);
}

/** The chunk logs of a database. Numbers are given by the database, inside the write. */
export class SqlStreamStore implements FullStreamManager {
  readonly #driver: SqlDriver;
  readonly #notifier: StreamNotifier;
  readonly #now: () => number;
  readonly #pollMs: number;
  readonly #readers = new Set<StreamReader<unknown>>();

  constructor(driver: SqlDriver, options: SqlStreamStoreOptions = {}) {
    this.#driver = driver;
    this.#notifier = options.notifier ?? createLocalNotifier();
    this.#now = options.now ?? Date.now;
    this.#pollMs = options.pollMs ?? 100;
  }

  async createWriter(streamId: string, agentId: string, agentType: string): Promise<StreamWriter> {
    await this.#driver.batch(
      [renderCreate(streamId, { agentId, agentType }, this.#now())],
      RELAXED,
    );
    let closed = false;
    return {
      write: async (chunk) => {
        if (closed) throw new StreamNotActiveError(streamId, 'closed by this writer');
        await this.append(streamId, [{ chunk }]);
      },
      close: async () => {
        closed = true;
      },
    };
  }

  async append(streamId: string, entries: readonly StreamEntry[]): Promise<number> {
    const results = await this.#driver.batch(renderAppend(streamId, entries, this.#now()), RELAXED);
    const info = decodeInfo(results.at(-1)?.rows[0]);
    if (info?.status !== 'active') throw new StreamNotActiveError(streamId, info?.status ?? 'gone');
    this.#notifier.notify(streamId);
    return info.head;
  }

  async createReader(streamId: string): Promise<StreamReader | null> {
    const info = await this.getStreamInfo(streamId);
    if (info === null || info.status === 'failed') return null;
    return this.#read<StreamChunk>(streamId, 0, (stored) => stored.chunk);
  }

  async createResumableReader(
    streamId: string,
    options: { readonly afterSequence?: number } = {},
  ): Promise<StreamReader<StoredChunk> | null> {
    const info = await this.getStreamInfo(streamId);
    if (info === null) return null;
    return this.#read<StoredChunk>(streamId, options.afterSequence ?? 0, (stored) => stored);
  }

  async readChunks(
    streamId: string,
    range: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<readonly StoredChunk[]> {
    const page = renderReadPage(streamId, range.after ?? 0, range.limit ?? -1);
    return (await this.#driver.all(page)).map(decodeChunk);
  }

  async getStreamInfo(streamId: string): Promise<StreamInfo | null> {
    const [row] = await this.#driver.all(renderReadInfo(streamId));
    return decodeInfo(row);
  }

  /** The output itself is announced by the run as a chunk; here it is only kept with the stream. */
  async endStream(streamId: string, finalOutput?: JsonValue): Promise<void> {
    await this.#write(streamId, [renderEnd(streamId, finalOutput, this.#now())]);
  }

  async failStream(streamId: string, error: string): Promise<void> {
    await this.#write(streamId, [renderFail(streamId, error, this.#now())]);
  }

  async pauseStream(streamId: string): Promise<void> {
    await this.#write(streamId, [renderPause(streamId, this.#now())]);
  }

  async reactivateStream(streamId: string): Promise<void> {
    await this.#write(streamId, [renderReactivate(streamId, this.#now())]);
  }

  async cleanupToStep(streamId: string, stepCount: number): Promise<void> {
    await this.#write(streamId, renderDiscardSteps(streamId, stepCount, this.#now()));
  }

  async resetStream(streamId: string): Promise<void> {
    await this.#write(streamId, renderResync(streamId, this.#now()));
  }

  /** Ends every reader of this object. The streams stay as they are. */
  closeReaders(): void {
    for (const reader of this.#readers) reader.close();
  }

  async #write(streamId: string, statements: readonly Statement[]): Promise<void> {
    await this.#driver.batch(statements, RELAXED);
    this.#notifier.notify(streamId);
  }

  #read<T>(streamId: string, after: number, view: (stored: StoredChunk) => T): StreamReader<T> {
    const source = { driver: this.#driver, notifier: this.#notifier, pollMs: this.#pollMs };
    const reader: StreamReader<T> = createSqlReader(source, streamId, after, view, () => {
      this.#readers.delete(reader);
    });
    this.#readers.add(reader);
    return reader;
  }
}
