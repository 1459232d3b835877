import type { AgentConfig } from '../define/types.ts';
import type { SessionRef, SessionRow } from '../store/rows.ts';
import type { EngineContext } from './context.ts';
import { rootRef } from '../store/session-place.ts';

/** The definition a session runs with; without it nothing is written and the session stays as it is. */
export function requireAgent(ctx: EngineContext, session: SessionRow): AgentConfig {
  const agent = ctx.agents.find(session);
  if (!agent) throw ctx.agents.missing(session);
  return agent;
}

/**
 * Works on a session if the agent of its root is known in this process. The agent of a sub-session is the one that its root
 * can call, even if another agent has the same name.
 */
export function withRootAgent<T>(
  ctx: EngineContext,
  ref: SessionRef,
  work: () => Promise<T>,
): Promise<T> {
  const isKnown = ref.sessionId === ref.rootId || ctx.agents.knowsRoot(ref.rootId);
  return isKnown ? work() : holdingRoot(ctx, ref.rootId, work);
}

async function holdingRoot<T>(
  ctx: EngineContext,
  rootId: string,
  work: () => Promise<T>,
): Promise<T> {
  const ref = rootRef(rootId);
  const root = await ctx.databases.of(ref).readSession(ref);
  const release = root ? ctx.agents.pin(root) : null;
  try {
    return await work();
  } finally {
    release?.();
  }
}
