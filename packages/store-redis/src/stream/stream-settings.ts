import { DefinitionError } from '@helix-agents/core';
import type { RedisOptions } from '../database.ts';
import type { StreamSettings } from './stream-words.ts';

export interface RedisStreamManagerOptions extends Pick<RedisOptions, 'prefix'> {
  /** How long the chunks of a stream are kept after it ended or failed; 24 hours by default, 0 for ever. */
  readonly ttlMs?: number;
  /** The same in seconds. */
  readonly ttl?: number;
  /** About how many of the newest chunks a stream keeps; 10,000 by default, 0 for all. */
  readonly maxChunks?: number;
  /** How often a waiting reader polls, notified or not; 1,000 by default. */
  readonly pollMs?: number;
  readonly now?: () => number;
}

/** Throws for invalid options. */
export function streamSettings(prefix: string, options: RedisStreamManagerOptions): StreamSettings {
  return { prefix, ttlMs: ttlMsOf(options), maxChunks: maxChunksOf(options) };
}

const DAY_MS = 86_400_000;

function ttlMsOf({ ttl, ttlMs = ttl === undefined ? DAY_MS : ttl * 1_000 }: StreamTtl): number {
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 0) return ttlMs;
  throw new DefinitionError(
    `The chunks of a stream cannot be kept for ${ttlMs} ms: name whole milliseconds (ttlMs) or seconds (ttl), or 0 to keep them for ever.`,
  );
}

function maxChunksOf({ maxChunks = 10_000 }: RedisStreamManagerOptions): number {
  if (Number.isSafeInteger(maxChunks) && maxChunks >= 0) return maxChunks;
  throw new DefinitionError(
    `A stream cannot keep its newest ${maxChunks} chunks: name a whole number (maxChunks), or 0 to keep all.`,
  );
}

type StreamTtl = Pick<RedisStreamManagerOptions, 'ttl' | 'ttlMs'>;
