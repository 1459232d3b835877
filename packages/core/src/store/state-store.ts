import type { SessionIndex, SessionStore } from './session-store.ts';

/** What an executor is handed: one place for sessions and the index over them. */
export interface StateStore {
  readonly sessions: SessionStore;
  readonly index: SessionIndex;
}
