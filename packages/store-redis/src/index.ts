export type {
  RedisClient,
  RedisClientOptions,
  RedisStreamClient,
  RedisSubscriber,
} from './client.ts';
export type { RedisOptions } from './database.ts';
export { openRedis, type OpenedRedis, type OpenRedisOptions } from './open-redis.ts';
export { RedisLockManager } from './redis-lock-manager.ts';
export { RedisStateStore, type RedisStateStoreOptions } from './redis-state-store.ts';
export { RedisStreamManager } from './redis-stream-manager.ts';
export { RedisUsageStore } from './redis-usage-store.ts';
export type { RedisStreamManagerOptions } from './stream/stream-settings.ts';
