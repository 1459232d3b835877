import { initialState, type JsonValue, type SessionRow } from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';
import { sendMessage, type SentMessage } from './send-message.ts';
import { findTurn, findUserMessage, readRoot, userMessageId, type ChatTurn } from './turn.ts';

/**
 * Answers a message again. A turn that failed goes on from its last committed step; otherwise the session goes back to
 * before the message, transcript and custom state alike, and the message is sent anew.
 */
export async function regenerate(deps: ChatDependencies, sent: SentMessage): Promise<ChatTurn> {
  const { executor, agent, stateStore } = deps;
  const { sessionId, message, userId } = sent;
  const session = await readRoot(deps, sessionId, sent.session);
  const turn = session && (await findTurn(deps, session));
  if (!session || !turn) return sendMessage(deps, { ...sent, session });
  if (session.status === 'failed' && turn.userMessageId === message.id) {
    const { runId } = await executor.retry(agent, sessionId);
    return { ...turn, runIds: new Set([...turn.runIds, runId]) };
  }
  const isOver = session.status === 'completed' || session.status === 'failed';
  if (!isOver) await executor.abort(sessionId, 'regenerated');
  const stopped = (await readRoot(deps, sessionId)) ?? session;
  const found = await findUserMessage(
    stateStore,
    stopped,
    (one, position) => userMessageId(one, position) === message.id,
  );
  if (found) {
    const restoreState = await firstState(deps, stopped, found.position);
    await stateStore.truncateMessages(sessionId, found.position, { restoreState });
  }
  return sendMessage(deps, { sessionId, message, userId });
}

/**
 * Where no checkpoint tells: before the first message it is what the agent begins with. A session that was created
 * before its first run keeps what it has, because what it was given is not kept anywhere.
 */
async function firstState(
  { stateStore, agent }: ChatDependencies,
  session: SessionRow,
  position: number,
): Promise<JsonValue> {
  const { customState, createdAt } = session;
  if (position > 0) return customState;
  const [first] = await stateStore.sessions.readRuns(session);
  return first?.startedAt === createdAt ? initialState(agent) : customState;
}
