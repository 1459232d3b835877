import type { StoredChunk, StreamReader } from '@helix-agents/core';
import { createLogReader, createSharedReads, LOG_PAGE_BYTES } from '@helix-agents/core/store';
import type { SqlDriver, SqlRow } from '../driver.ts';
import type { StreamNotifier } from './notifier.ts';
import {
  decodeChunk,
  decodeInfo,
  renderReadBoundedPage,
  renderReadInfo,
  renderReadPage,
} from './stream-statements.ts';

/** The stream's row and chunks on one snapshot. Chunks are still JSON: each reader parses its own objects. */
type StreamRows = readonly (readonly SqlRow[])[];

export interface ReaderSource {
  /** Reads after a number; concurrent readers share the result. */
  readonly page: (streamId: string, after: number, limit: number) => Promise<StreamRows>;
  readonly notifier: StreamNotifier;
  /** How often a waiting reader polls for chunks of other processes. */
  readonly pollMs: number;
}

/** A cursor into the log of a database. */
export function createSqlReader<T>(
  { page, notifier, pollMs }: ReaderSource,
  streamId: string,
  afterSequence: number,
  view: (stored: StoredChunk) => T,
  onClose: () => void,
): StreamReader<T> {
  const source = {
    pollMs,
    subscribe: (listener: () => void) => notifier.subscribe(streamId, listener),
    page: async (after: number, limit: number) => {
      const [info = [], chunks = []] = await page(streamId, after, limit);
      const standing = decodeInfo(info[0]);
      return standing && { ...standing, chunks: chunks.map(decodeChunk) };
    },
  };
  return createLogReader(source, afterSequence, view, onClose);
}

export function createSharedPages(driver: SqlDriver): ReaderSource['page'] {
  return createSharedReads((streamId, after, limit) =>
    driver.readBatch([
      renderReadInfo(streamId),
      limit === 1
        ? renderReadPage(streamId, after, 1)
        : renderReadBoundedPage(streamId, after, limit, LOG_PAGE_BYTES),
    ]),
  );
}
