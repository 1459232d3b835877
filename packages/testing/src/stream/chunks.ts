import type { ChunkOf, StoredChunk, StreamReader } from '@helix-agents/core';
import type { FullStreamManager, StreamEntry } from '@helix-agents/core/store';
import { expect } from 'vitest';

/** A chunk that says who wrote it. */
export function textChunk(
  delta: string,
  given: Partial<Omit<ChunkOf<'text_delta'>, 'type' | 'delta'>> = {},
): ChunkOf<'text_delta'> {
  const base = { agentId: 's1', agentType: 'researcher', timestamp: 1_800_000_000_000, step: 1 };
  return { ...base, ...given, type: 'text_delta', delta };
}

export function entries(...deltas: readonly string[]): StreamEntry[] {
  return deltas.map((delta) => ({ chunk: textChunk(delta) }));
}

/** What the log holds when these were written to a new stream. */
export function stored(...deltas: readonly string[]): StoredChunk[] {
  return deltas.map((delta, index) => ({ sequence: index + 1, chunk: textChunk(delta) }));
}

export function numbered(count: number, from: number = 1): string[] {
  return Array.from({ length: count }, (_, index) => `${from + index}`);
}

/** Reads until the reader ends by itself. */
export async function readAll<T>(reader: StreamReader<T> | null): Promise<T[]> {
  const read: T[] = [];
  for await (const item of present(reader)) read.push(item);
  return read;
}

/** Reads `count` items and leaves, as a client that loses its connection. */
export async function readSome<T>(reader: StreamReader<T> | null, count: number): Promise<T[]> {
  const read: T[] = [];
  if (count === 0) {
    present(reader).close();
    return read;
  }
  for await (const item of present(reader)) {
    read.push(item);
    if (read.length === count) break;
  }
  return read;
}

export async function readAfter(
  streams: FullStreamManager,
  streamId: string,
  afterSequence: number,
): Promise<number[]> {
  const read = await readAll(await streams.createResumableReader(streamId, { afterSequence }));
  return read.map((item) => item.sequence);
}

export function present<T>(reader: StreamReader<T> | null): StreamReader<T> {
  expect(reader).not.toBeNull();
  return reader as StreamReader<T>;
}
