import {
  AgentAlreadyRunningError,
  initialState,
  NotResumableError,
  StaleStateError,
  type JsonValue,
  type SessionRow,
} from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';
import { sendMessage, type SentMessage } from './send-message.ts';
import {
  assertOwner,
  findTurn,
  findUserMessage,
  readRoot,
  userMessageId,
  type ChatTurn,
} from './turn.ts';

/**
 * Answers a message again. A turn that failed goes on from its last committed step; otherwise the session goes back to
 * before the message, transcript and custom state alike, and the message is sent anew. While it is being answered
 * there is nothing to do again: of two requests at once, one begins the answer and both show it.
 */
export async function regenerate(deps: ChatDependencies, sent: SentMessage): Promise<ChatTurn> {
  const { sessionId, message } = sent;
  let known = sent.session;
  let before: SessionRow | undefined;
  for (;;) {
    const session = await readRoot(deps, sessionId, known);
    if (session) assertOwner(session, sent);
    const turn = session && (await findTurn(deps, session));
    if (!session || !turn) return sendMessage(deps, sent);
    const isAnswered = turn.userMessageId === message.id;
    if (isAnswered && isAnswering(session, before)) return turn;
    // One that failed because it was stopped for this is not tried again.
    const mayRetry = isAnswered && session.status === 'failed' && !before;
    const next = await unlessMoved(
      mayRetry ? retry(deps, turn) : goBack(deps, session, message.id),
    );
    if (next === 'gone back') return sendMessage(deps, sent);
    if (next !== 'look again') return next;
    before ??= session;
    known = undefined;
  }
}

/** A run answers it now, or one that has begun since this request came. */
function isAnswering({ status, runId }: SessionRow, before: SessionRow | undefined): boolean {
  return status === 'running' || (before !== undefined && before.runId !== runId);
}

type Next = ChatTurn | 'gone back' | 'look again';

/** Another request may have moved the session first. */
async function unlessMoved(work: Promise<Next>): Promise<Next> {
  try {
    return await work;
  } catch (error) {
    const isMoved =
      StaleStateError.isInstance(error) ||
      AgentAlreadyRunningError.isInstance(error) ||
      NotResumableError.isInstance(error);
    if (isMoved) return 'look again';
    throw error;
  }
}

async function retry({ executor, agent }: ChatDependencies, turn: ChatTurn): Promise<ChatTurn> {
  const { runId } = await executor.retry(agent, turn.sessionId);
  return { ...turn, runIds: new Set([...turn.runIds, runId]) };
}

/** Removes the message and what came after it. A session that is not over is stopped first, and read again. */
async function goBack(
  deps: ChatDependencies,
  session: SessionRow,
  messageId: string | undefined,
): Promise<'gone back' | 'look again'> {
  const { sessionId, runId, status, version } = session;
  if (status !== 'completed' && status !== 'failed') {
    await deps.executor.abort(sessionId, 'regenerated', { runId });
    return 'look again';
  }
  const found = await findUserMessage(
    deps.stateStore,
    session,
    (one, position) => userMessageId(one, position) === messageId,
  );
  if (!found) return 'gone back';
  const restoreState = await firstState(deps, session, found.position);
  await deps.stateStore.truncateMessages(sessionId, found.position, { restoreState, version });
  return 'gone back';
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
