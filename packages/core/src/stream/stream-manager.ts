import type { JsonValue } from '../json.ts';
import type { StreamChunk } from './chunks.ts';

/** Sequence numbers run 1, 2, 3 … per stream, without gaps but at a trimmed beginning, and are never reused. */
export interface StoredChunk {
  readonly sequence: number;
  readonly chunk: StreamChunk;
}

export type StreamStatus = 'active' | 'paused' | 'ended' | 'failed';

export interface StreamInfo {
  readonly status: StreamStatus;
  /** Sequence of the newest chunk, 0 when there is none. */
  readonly head: number;
  /** How many chunks are kept: `head`, less those that were trimmed. */
  readonly chunkCount: number;
}

export interface StreamEntry {
  readonly chunk: StreamChunk;
  /** Unique in its stream: an entry whose key is already there is left out. Any text is one, the empty one too. */
  readonly dedupeKey?: string;
}

/** How a stream is closed: until the next run reactivates it. */
export type StreamClose =
  | { readonly as: 'paused' }
  | { readonly as: 'ended'; readonly output?: JsonValue }
  | { readonly as: 'failed'; readonly error: string };

export interface AppendOptions {
  /** False: a stream that is not there is not made; the write is a `StreamNotActiveError`. By default it is made. */
  readonly create?: boolean;
}

export interface StreamWriter {
  write(chunk: StreamChunk): Promise<void>;
  /** Frees the writer; the stream stays as it is. */
  close(): Promise<void>;
}

/** Ends by itself when the stream is no longer active and all its chunks were read. */
export interface StreamReader<T = StreamChunk> extends AsyncIterable<T> {
  close(): void;
}

/**
 * The numbered, durable chunk log. The first four methods are enough for a manager of one's own: without the others resuming
 * after a number, dedupe, pausing and writing after the end are not available, and a warning says so. A handle reads its run all the same.
 */
export interface StreamManager {
  /** Creates the stream, active, if it is not there. Writing to a stream that is not active throws `StreamNotActiveError`. */
  createWriter(streamId: string, agentId: string, agentType: string): Promise<StreamWriter>;
  /** From the first chunk on; null when the stream does not exist or failed. */
  createReader(streamId: string): Promise<StreamReader | null>;
  endStream(streamId: string, finalOutput?: JsonValue): Promise<void>;
  failStream(streamId: string, error: string): Promise<void>;

  /** Appends in order, in one write; creates the stream if needed and wanted. Returns the head after it. */
  append?(
    streamId: string,
    entries: readonly StreamEntry[],
    options?: AppendOptions,
  ): Promise<number>;
  /** Chunks after a number, then live; a number beyond the head waits for it. Null when there is no such stream. */
  createResumableReader?(
    streamId: string,
    options?: { readonly afterSequence?: number },
  ): Promise<StreamReader<StoredChunk> | null>;
  /** Those after a number, at most `limit`: a whole number from 0 or Infinity, else it is an `InvalidRequestError` (`toLimit`). */
  readChunks?(
    streamId: string,
    range?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly StoredChunk[]>;
  /** The same, and closes the stream, in one write. */
  appendAndClose?(
    streamId: string,
    entries: readonly StreamEntry[],
    how: StreamClose,
    options?: AppendOptions,
  ): Promise<number>;
  /** Closed at a human boundary: readers end, the next run reactivates it. */
  pauseStream?(streamId: string): Promise<void>;
  reactivateStream?(streamId: string): Promise<void>;
  /** Makes it active, whether it was closed or is not there yet, in one write. */
  openStream?(streamId: string, agentId: string, agentType: string): Promise<void>;
  /** Appends a marker that withdraws chunks of later steps. Numbers go on. */
  cleanupToStep?(streamId: string, stepCount: number): Promise<void>;
  /** Appends a `stream_resync` marker. Numbers go on. */
  resetStream?(streamId: string): Promise<void>;
  getStreamInfo?(streamId: string): Promise<StreamInfo | null>;
  /**
   * Drops the chunks up to and including this number, with their dedupe keys. Head, status and numbers stay. A reader that
   * starts before it begins with the oldest chunk that is left, and sees by its number that some are missing.
   */
  trimStream?(streamId: string, throughSequence: number): Promise<void>;
  /** Removes the stream with all its chunks; readers end. Nothing happens when there is none. */
  deleteStream?(streamId: string): Promise<void>;
}

/** A manager with every optional method: what the packages of this project ship. */
export type FullStreamManager = Required<StreamManager>;
