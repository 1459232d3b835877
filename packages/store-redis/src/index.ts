export type { RedisClient } from './client.ts';
