import type { CarryingSessions, SessionIndex, SessionStore } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { createSessionIndex } from './session-index.ts';
import { createSessionReads } from './session-reads.ts';
import { createSessionWrites } from './session-writes.ts';

/**
 * Trees of sessions in Redis.
 *
 * I1. Every write is one script and touches one hash slot, so it is atomic, in a cluster too.
 * I2. Indexes are written by the same scripts as the rows, so they are always consistent with them.
 * I3. The script of a commit also writes to the stream of its root.
 * I4. A script parses no JSON. What it compares is a field, a line or a score of its own.
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
