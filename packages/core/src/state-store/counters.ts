import { AgentAlreadyRunningError } from '../errors/session-errors.ts';
import { changeSession, hasLiveOwner, type FacadeContext } from './facade-context.ts';

/** Adds one and returns the new value. A run of an engine counts its steps and resumes itself. */
export async function increment(
  ctx: FacadeContext,
  sessionId: string,
  counter: 'stepCount' | 'resumeCount',
): Promise<number> {
  return changeSession(ctx, sessionId, async (session) => {
    if (hasLiveOwner(session, ctx.now())) throw new AgentAlreadyRunningError(sessionId);
    const result = session[counter] + 1;
    return { parts: { set: { [counter]: result } }, result };
  });
}
