import { AgentAlreadyRunningError, type UserMessage } from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';
import { findTurn, replyId, type ChatTurn } from './turn.ts';

/** How long a run that is asked to stop may take; a tool may ignore the signal. */
const STOP_WITHIN_MS = 15_000;

/** Begins a turn with this message. A message the session has already is not added again: its turn goes on. */
export async function sendMessage(
  deps: ChatDependencies,
  sessionId: string,
  message: UserMessage,
  userId: string | undefined,
): Promise<ChatTurn> {
  const { executor, agent, stateStore } = deps;
  const state = await stateStore.loadState(sessionId);
  const current = state && (await findTurn(deps, state));
  if (current && message.id !== undefined && current.userMessageId === message.id) return current;
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
      const { runId, streamId } = await executor.execute(agent, input, options);
      const run = await executor.getCurrentRun(sessionId);
      const startSequence = run?.runId === runId ? run.startSequence : 0;
      const runIds = new Set([runId]);
      return {
        sessionId,
        streamId,
        messageId: replyId(id),
        userMessageId: id,
        runIds,
        startSequence,
      };
    } catch (error) {
      if (!AgentAlreadyRunningError.isInstance(error)) throw error;
      if (deps.onMessageWhileRunning === 'reject' || Date.now() > deadline) throw error;
      await stopRun(deps, sessionId, deadline);
    }
  }
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
