import {
  AgentAlreadyRunningError,
  NotResumableError,
  type AgentExecutionHandle,
  type ResumeOptions,
  type SessionRow,
} from '@helix-agents/core';
import { HttpRefusal } from '@helix-agents/http';
import type { ServerParts } from '../parts.ts';
import type { ResumeRequest, RunStarted } from '../wire.ts';
import { readSession, type Sees } from './read-session.ts';
import { toInput } from './start-agent.ts';

/** Goes on with a session: takes the answers in, or adds a message. One caller of many at once wins, the others hear 409. */
export async function resumeAgent(
  parts: ServerParts,
  request: ResumeRequest,
  sees: Sees,
): Promise<RunStarted> {
  const executor = parts.executor();
  const session = await readSession(parts, request.sessionId, sees);
  const { sessionId, streamId, runId } = await goOn(parts, executor, session, request);
  return { sessionId, streamId, runId };
}

/** The same for another server, which may have sent it before: where something runs already, that run is the answer. */
export async function resumeDelegated(
  parts: ServerParts,
  request: ResumeRequest,
  sees: Sees,
): Promise<RunStarted> {
  const session = await readSession(parts, request.sessionId, sees);
  const { sessionId, streamId, runId } = session;
  const isPast = request.runId !== undefined && request.runId !== runId;
  if (isPast || session.closed) return { sessionId, streamId, runId };
  try {
    return await resumeAgent(parts, request, sees);
  } catch (error) {
    if (!AgentAlreadyRunningError.isInstance(error)) throw error;
    return { sessionId, streamId, runId: error.runId ?? runId };
  }
}

async function goOn(
  parts: ServerParts,
  executor: ReturnType<ServerParts['executor']>,
  session: SessionRow,
  { message, onMessageWhileSuspended, retry }: ResumeRequest,
): Promise<AgentExecutionHandle> {
  const { sessionId, status, userId } = session;
  const agent = parts.findAgent(session.agentType);
  const isOver = status === 'completed' || status === 'failed';
  if (message !== undefined && isOver && agent) {
    const owner = userId === null ? {} : { userId };
    return executor.execute(agent, { message: toInput(message) }, { sessionId, ...owner });
  }
  if (retry) return agent ? executor.retry(agent, sessionId) : executor.retry(sessionId);
  if (status === 'completed' && message === undefined) throw alreadyCompleted(sessionId);
  const options: ResumeOptions = {
    ...(message !== undefined && { mode: 'with_message', message: toInput(message) }),
    ...(onMessageWhileSuspended !== undefined && { onMessageWhileSuspended }),
  };
  const resumed = agent
    ? executor.resume(agent, sessionId, options)
    : executor.resume({ sessionId, ...options });
  return message === undefined ? unlessCompleted(sessionId, resumed) : resumed;
}

/** Somebody else may have resumed it since it was read, and it is over already. */
async function unlessCompleted<T>(sessionId: string, resumed: Promise<T>): Promise<T> {
  try {
    return await resumed;
  } catch (error) {
    const isOver = NotResumableError.isInstance(error) && error.reason === 'completed';
    throw isOver ? alreadyCompleted(sessionId) : error;
  }
}

function alreadyCompleted(sessionId: string): HttpRefusal {
  return new HttpRefusal(409, {
    error: `Session ${sessionId} is completed; send a message for the next turn.`,
    code: 'ALREADY_COMPLETED',
  });
}
