import type {
  JsonValue,
  StoredChunk,
  StreamChunk,
  StreamReader,
  StreamWriter,
} from '@helix-agents/core';
import type { StreamInfo } from '@helix-agents/core/store';
import type {
  AppendOptions,
  CarriedStreams,
  FullStreamManager,
  StreamClose,
  StreamEntry,
} from '@helix-agents/core/store';
import { StreamNotActiveError } from '@helix-agents/core';
import { createAppendWriter, toCursor, toLimit } from '@helix-agents/core/store';
import type { SqlDriver, Statement } from '../driver.ts';
import { createLocalNotifier, type StreamNotifier } from './notifier.ts';
import { createSharedPages, createSqlReader, type ReaderSource } from './reader.ts';
import { createStreamWrites, relaxed, type StreamWrites } from './stream-writes.ts';
import {
  renderEnd,
  renderFail,
  renderOpen,
  renderPause,
  renderReactivate,
} from './status-statements.ts';
import {
  decodeChunk,
  decodeWholeInfo,
  renderCreate,
  renderDeleteOrphans,
  renderDeleteStream,
  renderReadPage,
  renderReadWholeInfo,
  renderTrim,
} from './stream-statements.ts';

export interface SqlStreamStoreOptions {
  /** The same object for the session store whose plans may carry writes to these streams; by default none. */
  readonly database?: object;
  readonly notifier?: StreamNotifier;
  readonly now?: () => number;
  /** How often a waiting reader polls for chunks of other processes; 100 by default. */
  readonly pollMs?: number;
  /** How chunks are written, for a database that does not take batches. */
  readonly writes?: StreamWrites;
}

export function createSqlStreamStore(
  driver: SqlDriver,
  options: SqlStreamStoreOptions = {},
): SqlStreamStore {
  return new SqlStreamStore(driver, options);
}

/** The chunk logs of a database, which numbers the chunks inside the write. */
export class SqlStreamStore implements FullStreamManager, CarriedStreams {
  readonly database: object;
  readonly #driver: SqlDriver;
  readonly #notifier: StreamNotifier;
  readonly #page: ReaderSource['page'];
  readonly #now: () => number;
  readonly #pollMs: number;
  readonly #writes: StreamWrites;
  readonly #readers = new Set<StreamReader<unknown>>();

  constructor(driver: SqlDriver, options: SqlStreamStoreOptions = {}) {
    this.database = options.database ?? this;
    this.#driver = driver;
    this.#notifier = options.notifier ?? createLocalNotifier();
    this.#page = createSharedPages(driver);
    this.#now = options.now ?? Date.now;
    this.#pollMs = options.pollMs ?? 100;
    this.#writes = options.writes ?? createStreamWrites(driver);
  }

  async createWriter(streamId: string, agentId: string, agentType: string): Promise<StreamWriter> {
    await this.#driver.batch(
      [renderCreate(streamId, { agentId, agentType }, this.#now())],
      relaxed(streamId),
    );
    return createAppendWriter(streamId, (...args) => this.append(...args));
  }

  append(
    streamId: string,
    entries: readonly StreamEntry[],
    options?: AppendOptions,
  ): Promise<number> {
    return this.#append(streamId, entries, { ...options });
  }

  appendAndClose(
    streamId: string,
    entries: readonly StreamEntry[],
    how: StreamClose,
    options?: AppendOptions,
  ): Promise<number> {
    return this.#append(streamId, entries, { ...options, how });
  }

  async #append(
    streamId: string,
    entries: readonly StreamEntry[],
    { create = true, how }: AppendOptions & { readonly how?: StreamClose },
  ): Promise<number> {
    const head = await this.#writes.append(streamId, entries, this.#now(), {
      create,
      ...(how && { how }),
    });
    if (head === null) {
      const info = await this.getStreamInfo(streamId);
      throw new StreamNotActiveError(streamId, info?.status ?? 'gone');
    }
    this.#notifier.notify(streamId);
    return head;
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
    const page = renderReadPage(streamId, toCursor(range.after ?? 0), toLimit(range.limit));
    return (await this.#driver.all(page)).map(decodeChunk);
  }

  async getStreamInfo(streamId: string): Promise<StreamInfo | null> {
    const [row] = await this.#driver.all(renderReadWholeInfo(streamId));
    return decodeWholeInfo(row);
  }

  /** The run also appends the output as a chunk. */
  async endStream(streamId: string, finalOutput?: JsonValue): Promise<void> {
    await this.#write(streamId, renderEnd(streamId, finalOutput, this.#now()));
  }

  async failStream(streamId: string, error: string): Promise<void> {
    await this.#write(streamId, renderFail(streamId, error, this.#now()));
  }

  async pauseStream(streamId: string): Promise<void> {
    await this.#write(streamId, renderPause(streamId, this.#now()));
  }

  async reactivateStream(streamId: string): Promise<void> {
    await this.#write(streamId, renderReactivate(streamId, this.#now()));
  }

  async openStream(streamId: string, agentId: string, agentType: string): Promise<void> {
    await this.#write(streamId, renderOpen(streamId, agentId, agentType, this.#now()));
  }

  async cleanupToStep(streamId: string, stepCount: number): Promise<void> {
    await this.#writes.discardSteps(streamId, stepCount, this.#now());
    this.#notifier.notify(streamId);
  }

  async resetStream(streamId: string): Promise<void> {
    await this.#writes.resync(streamId, this.#now());
    this.#notifier.notify(streamId);
  }

  async trimStream(streamId: string, throughSequence: number): Promise<void> {
    await this.#driver.batch([renderTrim(streamId, toCursor(throughSequence))], relaxed(streamId));
  }

  async deleteStream(streamId: string): Promise<void> {
    const { dialect } = this.#driver;
    await this.#write(streamId, ...renderDeleteStream(streamId, dialect));
    // One statement does not see a chunk that was written while it waited for the stream's row.
    if (dialect.writesInOneStatement) await this.#write(streamId, renderDeleteOrphans(streamId));
  }

  async wake(streamId: string): Promise<void> {
    this.#notifier.notify(streamId);
  }

  /** Ends all readers of this object. The streams do not change. */
  closeReaders(): void {
    for (const reader of this.#readers) reader.close();
  }

  async #write(streamId: string, ...statements: readonly Statement[]): Promise<void> {
    await this.#driver.batch(statements, relaxed(streamId));
    this.#notifier.notify(streamId);
  }

  #read<T>(streamId: string, after: number, view: (stored: StoredChunk) => T): StreamReader<T> {
    const source = { page: this.#page, notifier: this.#notifier, pollMs: this.#pollMs };
    const reader: StreamReader<T> = createSqlReader(source, streamId, after, view, () => {
      this.#readers.delete(reader);
    });
    this.#readers.add(reader);
    return reader;
  }
}
