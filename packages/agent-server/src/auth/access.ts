import type { SessionRow } from '@helix-agents/core';
import { HttpRefusal } from '@helix-agents/http';
import type { Caller, Principal } from './authenticate.ts';

/** Whether this principal may see the session. If not, the reply is the same as for a session that does not exist. */
export function maySee(principal: Principal, session: SessionRow): boolean {
  return ownerFilter(principal) === undefined || session.userId === principal.id;
}

/** The user whose sessions a listing is limited to; undefined: no limit. */
export function ownerFilter(principal: Principal): string | undefined {
  if (principal.sessionId !== undefined || principal.access === 'all') return undefined;
  return principal.id;
}

/** A token of one session is refused for every other session, whether that one exists or not. */
export function checkBinding(principal: Principal, sessionId: string | undefined): void {
  if (principal.sessionId === undefined || principal.sessionId === sessionId) return;
  throw new HttpRefusal(403, {
    error: 'This token is for another session.',
    code: 'FORBIDDEN',
  });
}

/** A hook that returned `true`, without a principal, allowed the session that the request names. A listing names none. */
export function checkListing({ isUnnamed }: Caller, sessionId: string | undefined): void {
  if (!isUnnamed || sessionId !== undefined) return;
  throw new HttpRefusal(403, {
    error:
      "A listing needs a principal: authenticate said yes, and not whose sessions; return an id or access: 'all'.",
    code: 'FORBIDDEN',
  });
}
