import type {
  JsonValue,
  StoredChunk,
  StreamChunk,
  StreamReader,
  StreamWriter,
} from '@helix-agents/core';
import type { StreamInfo, StreamStatus } from '@helix-agents/core/store';
import type {
  AppendOptions,
  CarriedStreams,
  FullStreamManager,
  LogSource,
  StreamClose,
  StreamEntry,
} from '@helix-agents/core/store';
import { StreamNotActiveError } from '@helix-agents/core';
import {
  createAppendWriter,
  createLogReader,
  createSharedReads,
  LOG_PAGE_BYTES,
  toCursor,
  toLimit,
} from '@helix-agents/core/store';
import type { RedisClient, RedisStreamClient } from './client.ts';
import { DEFAULT_PREFIX } from './database.ts';
import { withFormat } from './format.ts';
import { createKeys, type Keys } from './keys.ts';
import {
  appendScript,
  createStreamScript,
  deleteStreamScript,
  openStreamScript,
  readInfoScript,
  setStatusScript,
  trimStreamScript,
} from './lua/streams.ts';
import { createSendingNames } from './script.ts';
import { createLiveHints, type LiveHints } from './stream/live-hints.ts';
import { resyncMarker, withdrawalMarkers } from './stream/markers.ts';
import { readPage, toLogPage, toStored, type StreamPage } from './stream/stream-pages.ts';
import { streamSettings, type RedisStreamManagerOptions } from './stream/stream-settings.ts';
import {
  closeWords,
  pushEntries,
  STAYS,
  statusWords,
  type StatusWords,
  type StreamSettings,
} from './stream/stream-words.ts';

/** The chunk logs of sessions as Redis streams. The server numbers the chunks inside the write. */
export class RedisStreamManager implements FullStreamManager, CarriedStreams {
  /** Commits of a state store with these `streams` can write to them. */
  readonly database: StreamSettings;
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #hints: LiveHints;
  readonly #newSending = createSendingNames();
  readonly #page: (streamId: string, after: number, limit: number) => Promise<StreamPage | null>;
  readonly #readers = new Set<StreamReader<unknown>>();
  readonly #pollMs: number;
  readonly #now: () => number;

  constructor(client: RedisStreamClient, options: RedisStreamManagerOptions = {}) {
    const prefix = options.prefix ?? DEFAULT_PREFIX;
    this.#client = withFormat(client, prefix);
    this.#keys = createKeys(prefix);
    this.#hints = createLiveHints(client);
    this.#page = createSharedReads((streamId, after, limit) =>
      readPage(this.#client, this.#keys, streamId, after, { chunks: limit, bytes: LOG_PAGE_BYTES }),
    );
    this.database = streamSettings(prefix, options);
    this.#pollMs = options.pollMs ?? 1_000;
    this.#now = options.now ?? Date.now;
  }

  async createWriter(streamId: string, agentId: string, agentType: string): Promise<StreamWriter> {
    await createStreamScript.run(this.#client, this.#keys.treeOf(streamId), [agentId, agentType]);
    return createAppendWriter(streamId, (...args) => this.append(...args));
  }

  append(
    streamId: string,
    entries: readonly StreamEntry[],
    options?: AppendOptions,
  ): Promise<number> {
    return this.#appendToActive(streamId, entries, STAYS, options);
  }

  appendAndClose(
    streamId: string,
    entries: readonly StreamEntry[],
    how: StreamClose,
    options?: AppendOptions,
  ): Promise<number> {
    return this.#appendToActive(streamId, entries, closeWords(this.database, how), options);
  }

  async createReader(streamId: string): Promise<StreamReader | null> {
    const info = await this.getStreamInfo(streamId);
    if (info === null || info.status === 'failed') return null;
    return this.#read<StreamChunk>(streamId, info, 0, (stored) => stored.chunk);
  }

  async createResumableReader(
    streamId: string,
    options: { readonly afterSequence?: number } = {},
  ): Promise<StreamReader<StoredChunk> | null> {
    const info = await this.getStreamInfo(streamId);
    if (info === null) return null;
    return this.#read<StoredChunk>(streamId, info, options.afterSequence ?? 0, (stored) => stored);
  }

  async readChunks(
    streamId: string,
    range: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<readonly StoredChunk[]> {
    const after = toCursor(range.after ?? 0);
    const chunks = toLimit(range.limit);
    const page = await readPage(this.#client, this.#keys, streamId, after, { chunks });
    return (page?.entries ?? []).map(toStored);
  }

  async getStreamInfo(streamId: string): Promise<StreamInfo | null> {
    const reply = await readInfoScript.run(this.#client, this.#keys.treeOf(streamId), []);
    if (reply === null) return null;
    const [status, head, chunkCount] = reply as [StreamStatus, string, number];
    return { status, head: Number(head), chunkCount };
  }

  /** The run also appends the output as a chunk. */
  async endStream(streamId: string, finalOutput?: JsonValue): Promise<void> {
    const how = { as: 'ended', ...(finalOutput !== undefined && { output: finalOutput }) } as const;
    await this.#setStatus(streamId, closeWords(this.database, how), ['active', 'paused']);
  }

  async failStream(streamId: string, error: string): Promise<void> {
    const words = closeWords(this.database, { as: 'failed', error });
    await this.#setStatus(streamId, words, ['active', 'paused']);
  }

  async pauseStream(streamId: string): Promise<void> {
    await this.#setStatus(streamId, statusWords(this.database, 'paused'), ['active']);
  }

  async reactivateStream(streamId: string): Promise<void> {
    const from = ['paused', 'ended', 'failed'] as const;
    await this.#setStatus(streamId, statusWords(this.database, 'active'), from);
  }

  async openStream(streamId: string, agentId: string, agentType: string): Promise<void> {
    await openStreamScript.run(this.#client, this.#keys.treeOf(streamId), [agentId, agentType]);
  }

  async cleanupToStep(streamId: string, stepCount: number): Promise<void> {
    await this.#appendMarkers(streamId, (chunks) =>
      withdrawalMarkers(chunks, stepCount, this.#now()),
    );
  }

  async resetStream(streamId: string): Promise<void> {
    await this.#appendMarkers(streamId, (chunks) => resyncMarker(chunks, this.#now()));
  }

  async trimStream(streamId: string, throughSequence: number): Promise<void> {
    const through = toCursor(throughSequence);
    if (through < 1) return;
    const args = [`${through + 1}-0`, through];
    await trimStreamScript.run(this.#client, this.#keys.treeOf(streamId), args);
  }

  async deleteStream(streamId: string): Promise<void> {
    await deleteStreamScript.run(this.#client, this.#keys.treeOf(streamId), []);
  }

  /** Nothing to do: the script of a commit notifies readers in all processes. */
  async wake(): Promise<void> {}

  /** Ends all readers of this object and its listening connection. The streams do not change. */
  close(): void {
    for (const reader of this.#readers) reader.close();
    this.#hints.close();
  }

  /** Markers depend on the chunks before them: they are written only if nothing was appended since the read. */
  async #appendMarkers(
    streamId: string,
    markersFor: (chunks: readonly StoredChunk[]) => readonly StreamChunk[],
  ): Promise<void> {
    for (;;) {
      const page = await readPage(this.#client, this.#keys, streamId, 0);
      if (page === null) return;
      const markers = markersFor(page.entries.map(toStored)).map((chunk) => ({ chunk }));
      if (markers.length === 0) return;
      const { applied, status } = await this.#append(streamId, markers, `${page.head}`, STAYS);
      if (applied || status === '') return;
    }
  }

  async #appendToActive(
    streamId: string,
    entries: readonly StreamEntry[],
    statusAfter: StatusWords,
    { create = true }: AppendOptions = {},
  ): Promise<number> {
    const must = create ? '' : 'there';
    const { status, head, applied } = await this.#append(streamId, entries, must, statusAfter);
    if (!applied) throw new StreamNotActiveError(streamId, status || 'gone');
    return head;
  }

  async #append(
    streamId: string,
    entries: readonly StreamEntry[],
    expectedHead: string,
    statusAfter: StatusWords,
  ): Promise<{ readonly status: string; readonly head: number; readonly applied: boolean }> {
    const { maxChunks } = this.database;
    const args = [this.#newSending(), `${maxChunks}`, expectedHead, `${entries.length}`];
    args.push(...statusAfter);
    pushEntries(args, entries);
    const reply = await appendScript.run(this.#client, this.#keys.treeOf(streamId), args);
    const [status, head, applied] = reply as [string, number, number];
    return { status, head, applied: applied === 1 };
  }

  async #setStatus(
    streamId: string,
    [status, ...kept]: StatusWords,
    from: readonly StreamStatus[],
  ): Promise<void> {
    const args = [status, `,${from.join(',')},`, ...kept];
    await setStatusScript.run(this.#client, this.#keys.treeOf(streamId), args);
  }

  #read<T>(
    streamId: string,
    info: StreamInfo,
    after: number,
    view: (stored: StoredChunk) => T,
  ): StreamReader<T> {
    const channel = `${this.#keys.treeOf(streamId)}:stream`;
    const source: LogSource = {
      pollMs: this.#pollMs,
      // A closed stream gets no hints.
      subscribe: (listener) =>
        info.status === 'active' ? this.#hints.subscribe(channel, listener) : () => {},
      page: async (cursor, limit) => toLogPage(await this.#page(streamId, cursor, limit)),
    };
    const reader: StreamReader<T> = createLogReader(source, after, view, () => {
      this.#readers.delete(reader);
    });
    this.#readers.add(reader);
    return reader;
  }
}
