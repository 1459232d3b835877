import type { CallPlace } from './input-ids.ts';
import type { SessionRef, SessionRow } from './rows.ts';

/**
 * Where a session stands in its tree. Parent, root and depth come from `route`; no session id is taken apart.
 * I1. `route` goes from the root to the session itself, both included, and never changes.
 * I2. `unitId` is the session's top: the nearest of the root and the companions on its route.
 * I3. Only ids that come from outside are looked at: a new session may not take the form of a sub-agent's id (`isChildId`), and
 *     `getCheckpoint(checkpointId)` finds its session by the documented form of a checkpoint's id.
 */
export type SessionPlace = Pick<SessionRow, 'rootId' | 'sessionId' | 'route' | 'unitId'>;

export function rootPlace(sessionId: string): SessionPlace {
  return { rootId: sessionId, sessionId, route: [sessionId], unitId: sessionId };
}

/** The place of a child of this session. */
export function placeBelow(parent: SessionPlace, sessionId: string): SessionPlace {
  const { rootId, route, unitId } = parent;
  return { rootId, sessionId, route: [...route, sessionId], unitId };
}

/** The place of a companion of this session: the top of a unit of its own. */
export function companionPlace(parent: SessionPlace, sessionId: string): SessionPlace {
  return { ...placeBelow(parent, sessionId), unitId: sessionId };
}

/** A root or a companion: it is claimed and recovered by itself, and has a mailbox. */
export function isTop({ sessionId, unitId }: Pick<SessionRow, 'sessionId' | 'unitId'>): boolean {
  return sessionId === unitId;
}

/** The top of a session, or of a call. */
export function topRef({ rootId, unitId }: Pick<SessionRow, 'rootId' | 'unitId'>): SessionRef {
  return { rootId, sessionId: unitId };
}

/** The call that made this session; null at a root. */
export function makerOf(
  session: Pick<SessionRow, 'route' | 'parentStepId' | 'parentIndex'>,
): CallPlace | null {
  const { parentStepId: stepId, parentIndex: index } = session;
  const sessionId = parentIdOf(session);
  return sessionId === null || stepId === null || index === null
    ? null
    : { sessionId, stepId, index };
}

export function rootRef(rootId: string): SessionRef {
  return { rootId, sessionId: rootId };
}

export function isRoot({ rootId, sessionId }: SessionRef): boolean {
  return rootId === sessionId;
}

/** Null at a root. */
export function parentIdOf({ route }: Pick<SessionRow, 'route'>): string | null {
  return route.at(-2) ?? null;
}

export function parentRef(session: Pick<SessionRow, 'rootId' | 'route'>): SessionRef | null {
  const sessionId = parentIdOf(session);
  return sessionId === null ? null : { rootId: session.rootId, sessionId };
}

export function childRef({ rootId }: SessionRef, sessionId: string): SessionRef {
  return { rootId, sessionId };
}
