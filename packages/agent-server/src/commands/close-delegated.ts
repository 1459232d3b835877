import { SessionNotFoundError, type AbortResult } from '@helix-agents/core';
import { rootRef } from '@helix-agents/core/store';
import type { Call } from '../http/route.ts';
import type { ServerParts } from '../parts.ts';
import type { StopRequest } from '../wire.ts';

/** Aborts a session for good for another server. One that does not exist can never be started after it. */
export async function closeDelegated(
  parts: ServerParts,
  { sessionId, principal, sees, body }: Call<unknown, Omit<StopRequest, 'sessionId'>>,
): Promise<AbortResult> {
  if (sessionId === undefined) throw new SessionNotFoundError('');
  const session = await parts.store().sessions.readSession(rootRef(sessionId));
  if (session && !sees(session)) throw new SessionNotFoundError(sessionId);
  const userId = session ? (session.userId ?? undefined) : principal.id;
  const owner = userId === undefined ? {} : { userId };
  return parts.executor().abort(sessionId, body.reason, { close: true, ...owner });
}
