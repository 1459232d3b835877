import type { Logger } from '@helix-agents/core';
import type { RedisStreamClient } from './client.ts';
import type { RedisOptions } from './database.ts';
import { RedisLockManager } from './redis-lock-manager.ts';
import { RedisStateStore } from './redis-state-store.ts';
import { RedisStreamManager } from './redis-stream-manager.ts';
import { RedisUsageStore } from './redis-usage-store.ts';
import type { RedisStreamManagerOptions } from './stream/stream-settings.ts';

export interface OpenRedisOptions
  extends
    RedisOptions,
    Pick<RedisStreamManagerOptions, 'ttlMs' | 'ttl' | 'maxChunks' | 'pollMs' | 'now'> {
  /** Gets a warning at the start if the server's settings can lose data. The console by default. */
  readonly logger?: Logger;
}

export interface OpenedRedis {
  readonly stateStore: RedisStateStore;
  readonly streamManager: RedisStreamManager;
  readonly usageStore: RedisUsageStore;
  readonly lockManager: RedisLockManager;
  /** Ends all readers and the listening connection. The client stays open. */
  readonly close: () => void;
}

/**
 * Everything an executor stores, over one client and under one prefix.
 *
 * @example
 * const redis = new Redis(url);
 * const { stateStore, streamManager } = openRedis(redis);
 */
export function openRedis(client: RedisStreamClient, options: OpenRedisOptions = {}): OpenedRedis {
  const streamManager = new RedisStreamManager(client, options);
  return {
    stateStore: new RedisStateStore(client, { ...options, streams: streamManager }),
    streamManager,
    usageStore: new RedisUsageStore(client, options),
    lockManager: new RedisLockManager(client, options),
    close: () => streamManager.close(),
  };
}
