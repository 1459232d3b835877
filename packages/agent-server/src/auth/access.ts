import type { SessionRow } from '@helix-agents/core';
import { HttpRefusal } from '@helix-agents/http';
import type { Caller, Principal } from './authenticate.ts';

/** Whether a session that exists may be seen. One that may not is answered as one that does not exist. */
export function maySee(principal: Principal, session: SessionRow): boolean {
  return ownerFilter(principal) === undefined || session.userId === principal.id;
}

/** Whose sessions a listing is limited to; undefined: everybody's. */
export function ownerFilter(principal: Principal): string | undefined {
  if (principal.sessionId !== undefined || principal.access === 'all') return undefined;
  return principal.id;
}

/** A token of one session opens no other, whether that one exists or not. */
export function checkBinding(principal: Principal, sessionId: string | undefined): void {
  if (principal.sessionId === undefined || principal.sessionId === sessionId) return;
  throw new HttpRefusal(403, {
    error: 'This token is for another session.',
    code: 'FORBIDDEN',
  });
}

/** A plain yes was given to what the request names. Sessions it does not name are for callers that are known. */
export function checkListing({ isUnnamed }: Caller, sessionId: string | undefined): void {
  if (!isUnnamed || sessionId !== undefined) return;
  throw new HttpRefusal(403, {
    error:
      "A listing needs a principal: authenticate said yes, and not whose sessions; return an id or access: 'all'.",
    code: 'FORBIDDEN',
  });
}
