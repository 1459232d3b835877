import {
  initialState,
  type JsonValue,
  type SessionState,
  type UserMessage,
} from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';
import { sendMessage } from './send-message.ts';
import { findTurn, findUserMessage, userMessageId, type ChatTurn } from './turn.ts';

/**
 * Answers a message again. A turn that failed goes on from its last committed step; otherwise the session goes back to
 * before the message, transcript and custom state alike, and the message is sent anew.
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
  const stopped = (await stateStore.loadState(sessionId)) ?? state;
  const found = await findUserMessage(
    stateStore,
    stopped,
    (one, position) => userMessageId(one, position) === message.id,
  );
  if (found) {
    const restoreState = await firstState(deps, stopped, found.position);
    await stateStore.truncateMessages(sessionId, found.position, { restoreState });
  }
  return sendMessage(deps, sessionId, message, userId);
}

/**
 * Where no checkpoint tells: before the first message it is what the agent begins with. A session that was created
 * before its first run keeps what it has, because what it was given is not kept anywhere.
 */
async function firstState(
  { stateStore, agent }: ChatDependencies,
  { sessionId, customState, createdAt }: SessionState,
  position: number,
): Promise<JsonValue> {
  if (position > 0) return customState;
  const { runs } = await stateStore.listRuns(sessionId);
  return runs[0]?.startedAt === createdAt ? initialState(agent) : customState;
}
