import type { SessionRef, SessionRow } from './rows.ts';
import { rootRef } from './session-place.ts';
import type { SessionIndex, SessionStore } from './session-store.ts';
import type { StateStore } from './state-store.ts';

/** A session by its id alone, as it comes from outside. */
export function findSession(store: StateStore, sessionId: string): Promise<SessionRow | null> {
  return findSessionIn(() => store.sessions, store.index, sessionId);
}

/** The same where sessions live in several stores. Most ids are those of roots: that is looked at first. */
export async function findSessionIn(
  storeOf: (ref: SessionRef) => Pick<SessionStore, 'readSession'>,
  index: Pick<SessionIndex, 'findRoot'>,
  sessionId: string,
): Promise<SessionRow | null> {
  const root = rootRef(sessionId);
  const found = await storeOf(root).readSession(root);
  if (found) return found;
  const rootId = await index.findRoot(sessionId);
  if (rootId === null || rootId === sessionId) return null;
  const ref = { rootId, sessionId };
  return storeOf(ref).readSession(ref);
}
