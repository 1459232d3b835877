import type { UserMessage } from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';
import { sendMessage } from './send-message.ts';
import { findTurn, isShownUserMessage, userMessageId, type ChatTurn } from './turn.ts';

/**
 * Answers a message again. A turn that failed goes on from its last committed step; otherwise the message and what
 * came after it leave the transcript and the message is sent anew. Custom state stays as it is.
 */
export async function regenerate(
  deps: ChatDependencies,
  sessionId: string,
  message: UserMessage,
  userId: string | undefined,
): Promise<ChatTurn> {
  const { executor, agent, stateStore } = deps;
  const state = await stateStore.loadState(sessionId);
  const turn = state && (await findTurn(deps, state));
  if (!state || !turn) return sendMessage(deps, sessionId, message, userId);
  if (state.runStatus === 'failed' && turn.userMessageId === message.id) {
    const { runId } = await executor.retry(agent, sessionId);
    return { ...turn, runIds: new Set([...turn.runIds, runId]) };
  }
  if (state.status === 'active' || state.status === 'interrupted') {
    await executor.abort(sessionId, 'regenerated');
  }
  const messages = await stateStore.getAllMessages(sessionId);
  const position = messages.findLastIndex(
    (one, index) => isShownUserMessage(one) && userMessageId(one, index) === message.id,
  );
  if (position !== -1) await stateStore.truncateMessages(sessionId, position);
  return sendMessage(deps, sessionId, message, userId);
}
