import type { ChildReferenceRow } from '../store/rows.ts';
import { requireSession, type FacadeContext } from './facade-context.ts';
import { publicStatus, type SessionStatus } from './session-state.ts';
import { childRef } from '../store/session-place.ts';

/** What a session knows of one sub-agent's session. */
export interface SubSessionRef {
  readonly subSessionId: string;
  readonly agentType: string;
  readonly parentToolCallId: string;
  readonly status: SessionStatus;
  readonly mode: 'ephemeral' | 'persistent';
  readonly name?: string;
  readonly startedAt: number;
  readonly completedAt?: number;
}

export async function listSubSessions(
  ctx: FacadeContext,
  sessionId: string,
): Promise<readonly SubSessionRef[]> {
  const session = await requireSession(ctx, sessionId);
  const references = await ctx.sessions.readReferences(session);
  return Promise.all(
    references.map(async (reference) => {
      const ref = childRef(session, reference.subSessionId);
      const child = await ctx.sessions.readSession(ref);
      return subSessionRef(reference, child ? publicStatus(child.status) : null);
    }),
  );
}

/** For a child that is in another store or not created yet: what its parent's reference says. */
function subSessionRef(reference: ChildReferenceRow, status: SessionStatus | null): SubSessionRef {
  const { subSessionId, agentType, parentToolCallId, mode, name, startedAt, completedAt } =
    reference;
  return {
    subSessionId,
    agentType,
    parentToolCallId,
    status: status ?? (reference.state === 'live' ? 'active' : 'failed'),
    mode,
    ...(name !== null && { name }),
    startedAt,
    ...(completedAt !== null && { completedAt }),
  };
}
