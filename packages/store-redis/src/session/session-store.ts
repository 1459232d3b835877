import type { CarryingSessions, SessionIndex, SessionStore } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { createSessionIndex } from './session-index.ts';
import { createSessionReads } from './session-reads.ts';
import { createSessionWrites } from './session-writes.ts';

/**
 * Trees of sessions in Redis.
 *
 * I1. Every write is one script and touches one hash slot, so it is atomic, in a cluster too.
 * I2. Indexes over trees are written by the same scripts as the rows: they never lag behind and never lie.
 * I3. What a commit says in the stream of its root is written by its script too.
 * I4. A script reads no JSON. What it decides on is a field, a line or a score of its own.
 */
export function createRedisSessionStore(
  database: RedisDatabase,
): SessionStore & SessionIndex & Partial<CarryingSessions> {
  return {
    ...(database.streams && { database: database.streams }),
    ...createSessionReads(database),
    ...createSessionWrites(database),
    ...createSessionIndex(database),
  };
}
