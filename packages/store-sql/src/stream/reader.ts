import { createLogReader, type StoredChunk, type StreamReader } from '@helix-agents/core';
import type { SqlDriver } from '../driver.ts';
import type { StreamNotifier } from './notifier.ts';
import {
  decodeChunk,
  decodeInfo,
  renderReadBoundedPage,
  renderReadInfo,
} from './stream-statements.ts';

export interface ReaderSource {
  readonly driver: SqlDriver;
  readonly notifier: StreamNotifier;
  /** How often a waiting reader looks for what other processes wrote. */
  readonly pollMs: number;
}

/** A cursor into the log of a database. */
export function createSqlReader<T>(
  { driver, notifier, pollMs }: ReaderSource,
  streamId: string,
  afterSequence: number,
  view: (stored: StoredChunk) => T,
  onClose: () => void,
): StreamReader<T> {
  const source = {
    pollMs,
    subscribe: (listener: () => void) => notifier.subscribe(streamId, listener),
    page: async (after: number) => {
      const [info = [], chunks = []] = await driver.readBatch([
        renderReadInfo(streamId),
        renderReadBoundedPage(streamId, after),
      ]);
      const standing = decodeInfo(info[0]);
      return standing && { ...standing, chunks: chunks.map(decodeChunk) };
    },
  };
  return createLogReader(source, afterSequence, view, onClose);
}
