import {
  AgentAlreadyRunningError,
  SessionNotFoundError,
  type AgentExecutionHandle,
  type SessionRow,
  type UserMessage,
} from '@helix-agents/core';
import { rootRef } from '@helix-agents/core/store';
import type { ChatDependencies } from './dependencies.ts';
import { findTurnOf, readRoot, replyId, type ChatTurn } from './turn.ts';

/** How long a run that is asked to stop may take; a tool may ignore the signal. */
const STOP_WITHIN_MS = 15_000;

export interface SentMessage {
  readonly sessionId: string;
  readonly message: UserMessage;
  /** Owner of a session that begins with it, and of the one it is added to unless `access` says otherwise. */
  readonly userId?: string | undefined;
  readonly access?: 'own' | 'all' | undefined;
  /** The session's row, where it was read for this request; null: there is none. */
  readonly session?: SessionRow | null | undefined;
}

/**
 * Begins a turn with this message. One that the session has already is not added again, which `execute` decides: its turn
 * is what is shown, whether it goes on, is over, or others came after it.
 */
export async function sendMessage(deps: ChatDependencies, sent: SentMessage): Promise<ChatTurn> {
  const { executor, agent } = deps;
  const { sessionId, message } = sent;
  let owner = await ownerFor(deps, sent);
  const id = message.id ?? crypto.randomUUID();
  const input = { message: [{ ...message, id }] };
  const deadline = Date.now() + STOP_WITHIN_MS;
  for (;;) {
    try {
      const handle = await executor.execute(agent, input, {
        ...owner,
        ...deps.executeOptions,
        sessionId,
        onMessageWhileSuspended: deps.onMessageWhileSuspended ?? 'supersede',
      });
      return await turnWith(deps, handle, id);
    } catch (error) {
      const isOthers = SessionNotFoundError.isInstance(error) && owner.userId !== undefined;
      if (isOthers && sent.access === 'all') {
        owner = {};
        continue;
      }
      if (!AgentAlreadyRunningError.isInstance(error)) throw error;
      if (deps.onMessageWhileRunning === 'reject' || Date.now() > deadline) throw error;
      await stopRun(deps, error, deadline);
    }
  }
}

/** Where everybody's sessions may be written to, only one that is not there yet gets an owner. */
async function ownerFor(
  deps: ChatDependencies,
  { sessionId, userId, access, session }: SentMessage,
): Promise<{ readonly userId?: string }> {
  if (userId === undefined) return {};
  const isThere = access === 'all' && (await readRoot(deps, sessionId, session)) !== null;
  return isThere ? {} : { userId };
}

/** A run that was claimed for this handle says where it began; of any other, the session knows. */
async function turnWith(
  deps: ChatDependencies,
  { sessionId, runId, streamId, startSequence }: AgentExecutionHandle,
  userMessageId: string,
): Promise<ChatTurn> {
  const turn = {
    sessionId,
    streamId,
    messageId: replyId(userMessageId),
    userMessageId,
    runIds: new Set([runId]),
    startSequence: startSequence ?? 0,
  };
  if (startSequence !== undefined) return turn;
  return (await findTurnOf(deps, { ...rootRef(sessionId), streamId }, userMessageId)) ?? turn;
}

/** Asks the run that is in the way to stop, and none that has begun since; waits until it has, or the time is over. */
async function stopRun(
  { executor, agent }: ChatDependencies,
  { sessionId, runId }: AgentAlreadyRunningError,
  deadline: number,
): Promise<void> {
  const stopped = await executor.interrupt(
    sessionId,
    'a new message',
    runId === undefined ? {} : { runId },
  );
  if (stopped.status === 'too_late') return;
  const handle = await executor.getHandle(agent, sessionId);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadline - Date.now());
  });
  await Promise.race([handle?.result(), late]);
  clearTimeout(timer);
}
