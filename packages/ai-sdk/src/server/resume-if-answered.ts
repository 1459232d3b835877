import { AgentAlreadyRunningError, NotResumableError, type SessionState } from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';

/**
 * Goes on with a session that waits although something it waits for has come: an answer that was stored and not taken
 * up yet (given in an inbox, or by a request that died), or a deadline that passed. Says whether a run is under way.
 */
export async function resumeIfAnswered(
  deps: ChatDependencies,
  state: SessionState,
): Promise<boolean> {
  if (!state.runStatus.startsWith('suspended_') || !(await mayGoOn(deps, state))) return false;
  try {
    await deps.executor.resume(deps.agent, state.sessionId, { ifRunning: 'attach' });
    return true;
  } catch (error) {
    // Somebody else was faster: their run is the one to follow, or it is over already.
    if (AgentAlreadyRunningError.isInstance(error)) return true;
    if (NotResumableError.isInstance(error)) return false;
    throw error;
  }
}

async function mayGoOn(deps: ChatDependencies, state: SessionState): Promise<boolean> {
  const open = await openCallIds(deps, state.sessionId);
  const pending = Object.keys(state.clientToolCallOwnership);
  if (pending.some((toolCallId) => !open.has(toolCallId))) return true;
  const now = Date.now();
  return [...open.values()].some(({ deadlineAt }) => deadlineAt !== null && deadlineAt <= now);
}

type OpenCalls = ReadonlyMap<string, { readonly deadlineAt: number | null }>;

/** Every call of the tree that waits for somebody. */
export async function openCallIds(
  { executor }: Pick<ChatDependencies, 'executor'>,
  rootSessionId: string,
): Promise<OpenCalls> {
  const found = new Map<string, { deadlineAt: number | null }>();
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await executor.listOpenCalls({ rootSessionId, ...(cursor ? { cursor } : {}) });
    for (const { toolCallId, deadlineAt } of page.items) found.set(toolCallId, { deadlineAt });
    cursor = page.cursor;
  }
  return found;
}
