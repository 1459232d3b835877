import { AgentAlreadyRunningError, NotResumableError, type SessionRow } from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';

/**
 * Goes on with a session that waits although something it waits for has come: an answer that was stored and not taken
 * up yet (given in an inbox, or by a request that died), or a deadline that passed. Returns whether a run is under way.
 */
export async function resumeIfAnswered(
  deps: ChatDependencies,
  session: SessionRow,
): Promise<boolean> {
  if (!session.status.startsWith('suspended_') || !(await mayGoOn(deps, session))) return false;
  try {
    await deps.executor.resume(deps.agent, session.sessionId, { ifRunning: 'attach' });
    return true;
  } catch (error) {
    // Somebody else was faster: their run is the one to follow, or it is over already.
    if (AgentAlreadyRunningError.isInstance(error)) return true;
    if (NotResumableError.isInstance(error)) return false;
    throw error;
  }
}

async function mayGoOn({ stateStore }: ChatDependencies, session: SessionRow): Promise<boolean> {
  const step = await stateStore.sessions.readStep(session);
  const now = Date.now();
  return (step?.calls ?? []).some(
    ({ state, deadlineAt }) =>
      state === 'answered' || (state === 'open' && deadlineAt !== null && deadlineAt <= now),
  );
}

/** Every call of the tree that waits for somebody. */
export async function openCallIds(
  { executor }: Pick<ChatDependencies, 'executor'>,
  rootSessionId: string,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await executor.listOpenCalls({ rootSessionId, ...(cursor ? { cursor } : {}) });
    for (const { toolCallId } of page.items) found.add(toolCallId);
    cursor = page.cursor;
  }
  return found;
}
