import {
  AgentAlreadyRunningError,
  type AgentExecutionHandle,
  type SessionRow,
  type UserMessage,
} from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';
import { findTurn, findUserMessage, readRoot, replyId, type ChatTurn } from './turn.ts';

/** How long a run that is asked to stop may take; a tool may ignore the signal. */
const STOP_WITHIN_MS = 15_000;

export interface SentMessage {
  readonly sessionId: string;
  readonly message: UserMessage;
  /** Owner of a session that begins with it. */
  readonly userId?: string | undefined;
  /** The session's row, where it was read for this request; null: there is none. */
  readonly session?: SessionRow | null | undefined;
}

/** Begins a turn with this message. A message the session has already is not added again: its turn goes on. */
export async function sendMessage(deps: ChatDependencies, sent: SentMessage): Promise<ChatTurn> {
  const { executor, agent } = deps;
  const { sessionId, message, userId } = sent;
  const repeated = await turnOf(deps, sent);
  if (repeated) return repeated;
  const options = {
    ...(userId !== undefined && { userId }),
    ...deps.executeOptions,
    sessionId,
    onMessageWhileSuspended: deps.onMessageWhileSuspended ?? 'supersede',
  } as const;
  const id = message.id ?? crypto.randomUUID();
  const input = { message: [{ ...message, id }] };
  const deadline = Date.now() + STOP_WITHIN_MS;
  for (;;) {
    try {
      const handle = await executor.execute(agent, input, options);
      return await newTurn(deps, handle, id);
    } catch (error) {
      if (!AgentAlreadyRunningError.isInstance(error)) throw error;
      if (deps.onMessageWhileRunning === 'reject' || Date.now() > deadline) throw error;
      await stopRun(deps, sessionId, deadline);
    }
  }
}

/** The turn that this message has begun already; null when it is new. */
async function turnOf(
  deps: ChatDependencies,
  { sessionId, message, session: known }: SentMessage,
): Promise<ChatTurn | null> {
  const session = await readRoot(deps, sessionId, known);
  if (!session || message.id === undefined) return null;
  const newest = await findUserMessage(deps.stateStore, session);
  return newest?.id === message.id ? findTurn(deps, session, newest) : null;
}

/** A handle of a runtime elsewhere does not know where its run began. */
async function newTurn(
  { executor }: ChatDependencies,
  { sessionId, runId, streamId, startSequence }: AgentExecutionHandle,
  userMessageId: string,
): Promise<ChatTurn> {
  const record = startSequence === undefined ? await executor.getCurrentRun(sessionId) : null;
  return {
    sessionId,
    streamId,
    messageId: replyId(userMessageId),
    userMessageId,
    runIds: new Set([runId]),
    startSequence: startSequence ?? (record?.runId === runId ? record.startSequence : 0),
  };
}

/** Asks the current run to stop and waits until it has, or the time is over. */
async function stopRun(
  { executor, agent }: ChatDependencies,
  sessionId: string,
  deadline: number,
): Promise<void> {
  await executor.interrupt(sessionId, 'a new message');
  const handle = await executor.getHandle(agent, sessionId);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadline - Date.now());
  });
  await Promise.race([handle?.result(), late]);
  clearTimeout(timer);
}
