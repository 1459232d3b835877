import type { SessionRef, SessionRow } from './rows.ts';
import { rootRef } from './session-place.ts';
import type { SessionIndex, SessionStore } from './session-store.ts';

/** A session by its id alone, where sessions may live in several stores. Most ids are those of roots: that is looked at first. */
export async function findSession(
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
