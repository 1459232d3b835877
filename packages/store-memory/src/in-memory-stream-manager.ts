import type {
  JsonValue,
  StoredChunk,
  StreamChunk,
  StreamReader,
  StreamWriter,
} from '@helix-agents/core';
import type { BaseChunk, StreamInfo } from '@helix-agents/core/store';
import type {
  AppendOptions,
  CarriedStreams,
  FullStreamManager,
  StreamClose,
  StreamEntry,
} from '@helix-agents/core/store';
import { StreamNotActiveError } from '@helix-agents/core';
import { createAppendWriter, toCursor, toLimit } from '@helix-agents/core/store';
import { MemoryDatabase, streamOf } from './memory-database.ts';
import type { MemoryStream } from './memory-stream.ts';

export interface InMemoryStreamManagerOptions {
  /** The database of the session store: commits then write to these streams, and deleting a session deletes its stream. */
  readonly database?: MemoryDatabase;
  readonly now?: () => number;
}

/** Streams in the memory of one process. Chunks stay until their session is deleted. */
export class InMemoryStreamManager implements FullStreamManager, CarriedStreams {
  readonly database: MemoryDatabase;
  readonly #streams: Map<string, MemoryStream>;
  readonly #now: () => number;

  constructor(options: InMemoryStreamManagerOptions = {}) {
    this.database = options.database ?? new MemoryDatabase();
    this.#streams = this.database.streams;
    this.#now = options.now ?? Date.now;
  }

  async createWriter(
    streamId: string,
    _agentId: string,
    _agentType: string,
  ): Promise<StreamWriter> {
    streamOf(this.database, streamId);
    return createAppendWriter(streamId, (...args) => this.append(...args));
  }

  async append(
    streamId: string,
    entries: readonly StreamEntry[],
    { create = true }: AppendOptions = {},
  ): Promise<number> {
    if (!create && !this.#streams.has(streamId)) throw new StreamNotActiveError(streamId, 'gone');
    const stream = streamOf(this.database, streamId);
    if (stream.status !== 'active') throw new StreamNotActiveError(streamId, stream.status);
    return stream.append(entries);
  }

  async appendAndClose(
    streamId: string,
    entries: readonly StreamEntry[],
    how: StreamClose,
    options?: AppendOptions,
  ): Promise<number> {
    const head = await this.append(streamId, entries, options);
    streamOf(this.database, streamId).setStatus(how.as);
    return head;
  }

  async createReader(streamId: string): Promise<StreamReader | null> {
    const stream = this.#streams.get(streamId);
    if (!stream || stream.status === 'failed') return null;
    return stream.read<StreamChunk>(0, (stored) => stored.chunk);
  }

  async createResumableReader(
    streamId: string,
    options: { readonly afterSequence?: number } = {},
  ): Promise<StreamReader<StoredChunk> | null> {
    const stream = this.#streams.get(streamId);
    return stream?.read<StoredChunk>(options.afterSequence ?? 0, (stored) => stored) ?? null;
  }

  async readChunks(
    streamId: string,
    range: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<readonly StoredChunk[]> {
    const [after, limit] = [toCursor(range.after ?? 0), toLimit(range.limit)];
    return this.#streams.get(streamId)?.after(after, limit) ?? [];
  }

  async getStreamInfo(streamId: string): Promise<StreamInfo | null> {
    const stream = this.#streams.get(streamId);
    if (!stream) return null;
    return { status: stream.status, head: stream.head, chunkCount: stream.chunks.length };
  }

  /** The output is not stored here: the run appends it as a chunk. */
  async endStream(streamId: string, _finalOutput?: JsonValue): Promise<void> {
    this.#finish(streamId, 'ended');
  }

  async failStream(streamId: string, _error: string): Promise<void> {
    this.#finish(streamId, 'failed');
  }

  async pauseStream(streamId: string): Promise<void> {
    const stream = this.#streams.get(streamId);
    if (stream?.status === 'active') stream.setStatus('paused');
  }

  async reactivateStream(streamId: string): Promise<void> {
    this.#streams.get(streamId)?.setStatus('active');
  }

  async openStream(streamId: string): Promise<void> {
    streamOf(this.database, streamId).setStatus('active');
  }

  async cleanupToStep(streamId: string, stepCount: number): Promise<void> {
    const stream = this.#streams.get(streamId);
    if (!stream) return;
    const markers = withdrawn(stream.chunks, stepCount).map((base): StreamEntry => ({
      chunk: { ...base, timestamp: this.#now(), type: 'step_discarded', reason: 'cleanup' },
    }));
    stream.append(markers);
  }

  async resetStream(streamId: string): Promise<void> {
    const stream = this.#streams.get(streamId);
    const first = stream?.chunks[0]?.chunk;
    if (!stream || !first) return;
    const { agentId, agentType } = first;
    const step = stream.chunks.at(-1)?.chunk.step ?? 0;
    const base = { agentId, agentType, step, timestamp: this.#now() };
    stream.append([{ chunk: { ...base, type: 'stream_resync', reason: 'reset' } }]);
  }

  async trimStream(streamId: string, throughSequence: number): Promise<void> {
    this.#streams.get(streamId)?.trim(toCursor(throughSequence));
  }

  async deleteStream(streamId: string): Promise<void> {
    this.#streams.get(streamId)?.drop();
    this.#streams.delete(streamId);
  }

  /** Nothing to do: the write of a commit wakes readers. */
  async wake(): Promise<void> {}

  #finish(streamId: string, status: 'ended' | 'failed'): void {
    const stream = this.#streams.get(streamId);
    if (stream?.status === 'active' || stream?.status === 'paused') stream.setStatus(status);
  }
}

/** The steps of each agent beyond `stepCount` that have chunks and are not discarded yet. */
function withdrawn(
  chunks: readonly StoredChunk[],
  stepCount: number,
): Omit<BaseChunk, 'timestamp'>[] {
  const steps = new Map<string, Omit<BaseChunk, 'timestamp'>>();
  for (const { chunk } of chunks) {
    if (chunk.step <= stepCount) continue;
    const { agentId, agentType, step } = chunk;
    const key = JSON.stringify([agentId, step]);
    if (chunk.type === 'step_discarded') steps.delete(key);
    else steps.set(key, { agentId, agentType, step });
  }
  return [...steps.values()];
}
