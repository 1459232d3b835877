import type { SessionStore } from '../store/session-store.ts';
import type { StreamClose, StreamEntry, StreamManager } from './stream-manager.ts';

/**
 * A write to a stream in the same database as the plan, applied in the same write as the plan. The stream is made active in any
 * case, then the entries are appended, except those whose key exists, then it is closed.
 */
export interface StreamWrite {
  readonly streamId: string;
  /** Named as its creator if it is not there yet. */
  readonly agentId: string;
  readonly agentType: string;
  readonly entries: readonly StreamEntry[];
  /** It stays active without. */
  readonly close?: StreamClose;
}

/** A `SessionStore` whose plans may carry a write to a stream of this database. */
export interface CarryingSessions {
  readonly database: object;
}

/** A `StreamManager` with its streams in this database. */
export interface CarriedStreams {
  readonly database: object;
  /** Tells readers that a commit has written to the stream. One that is not told looks by itself, later. */
  wake(streamId: string): Promise<void>;
}

/** Whether plans of this store may carry writes to these streams. */
export function canCarry(
  sessions: SessionStore & Partial<CarryingSessions>,
  streams: StreamManager & Partial<CarriedStreams>,
): streams is StreamManager & CarriedStreams {
  return sessions.database !== undefined && sessions.database === streams.database;
}
