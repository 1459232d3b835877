import { AgentAlreadyRunningError, NotResumableError, type SessionRow } from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';

/**
 * Resumes a suspended session that no longer has to wait: an answer is stored and not taken in yet (given in an inbox, or
 * by a request that died), or a deadline has passed. Returns whether a run is in progress.
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
    // Another process resumed it first: its run is followed, or is over already.
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

/** Every call of the tree that waits for a person. */
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
