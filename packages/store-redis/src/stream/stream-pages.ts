import type { StoredChunk } from '@helix-agents/core';
import type { LogSource, StreamStatus } from '@helix-agents/core/store';
import type { RedisClient } from '../client.ts';
import type { Keys } from '../keys.ts';
import { readPageScript } from '../lua/streams.ts';

/** Status and chunks on one snapshot. Chunks are still JSON: each reader parses its own objects. */
export interface StreamPage {
  readonly status: StreamStatus;
  readonly head: number;
  /** Sequence number and JSON. */
  readonly entries: readonly (readonly [number, string])[];
}

export function toStored([sequence, text]: readonly [number, string]): StoredChunk {
  return { sequence, chunk: JSON.parse(text) as StoredChunk['chunk'] };
}

/** A page as the reader of a log takes it. */
export function toLogPage(page: StreamPage | null): LogPage {
  return page && { status: page.status, head: page.head, chunks: page.entries.map(toStored) };
}

type LogPage = Awaited<ReturnType<LogSource['page']>>;

export interface PageLimits {
  readonly chunks?: number | undefined;
  /** The page ends with the chunk that reaches this size. */
  readonly bytes?: number;
}

export async function readPage(
  client: RedisClient,
  keys: Keys,
  streamId: string,
  after: number,
  { chunks = -1, bytes = Number.MAX_SAFE_INTEGER }: PageLimits = {},
): Promise<StreamPage | null> {
  const first = Math.min(Math.max(0, Math.floor(after)), Number.MAX_SAFE_INTEGER - 1) + 1;
  const reply = await readPageScript.run(client, keys.treeOf(streamId), [
    `${first}-0`,
    chunks,
    bytes,
  ]);
  if (reply === null) return null;
  const [status, head, flat] = reply as [StreamStatus, string, string[]];
  const entries: [number, string][] = [];
  for (let at = 0; at < flat.length; at += 2) {
    entries.push([Number.parseInt(flat[at] as string, 10), flat[at + 1] as string]);
  }
  return { status, head: Number(head), entries };
}
