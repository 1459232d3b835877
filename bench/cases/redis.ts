import type { BenchCase } from '../lib/measure.ts';
import { redisPlace } from '../lib/redis.ts';
import { serverCase } from '../lib/server-case.ts';

/** Redis on this machine, with its append-only file written each second and with every write. */
export const redis: BenchCase = serverCase('redis', [
  () => redisPlace('everysec'),
  () => redisPlace('always'),
]);
