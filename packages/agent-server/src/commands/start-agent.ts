import {
  SessionExistsError,
  SessionNotFoundError,
  type AgentConfig,
  type AgentInput,
  type ExecuteOptions,
  type UserInputMessage,
} from '@helix-agents/core';
import { HttpRefusal, invalidRequest, notFound } from '@helix-agents/http';
import type { ServerParts } from '../parts.ts';
import type { SessionStarted, StartRequest, WireMessage } from '../wire.ts';
import { readSession, type Sees } from './read-session.ts';

/**
 * Starts a session that does not exist yet. Sent again while it is active, it returns the run in progress; once
 * the session has ended it is refused.
 */
export async function startAgent(
  parts: ServerParts,
  request: StartRequest & { readonly userId?: string | undefined },
  sees: Sees,
): Promise<SessionStarted> {
  const executor = parts.executor();
  const agent = agentToStart(parts, request.agentType);
  const { sessionId = parts.newId(), userId, tags, metadata } = request;
  const options: ExecuteOptions = {
    sessionId,
    ifExists: 'reject',
    ...(userId !== undefined && { userId }),
    ...(tags !== undefined && { tags }),
    ...(metadata !== undefined && { metadata }),
  };
  try {
    const { runId, streamId } = await executor.execute(agent, inputOf(request), options);
    return { sessionId, streamId, runId, created: true };
  } catch (error) {
    // Not found: it is there, and somebody else's.
    const isThere = SessionExistsError.isInstance(error) || SessionNotFoundError.isInstance(error);
    if (!isThere) throw error;
  }
  const { agentType, status, runId, streamId } = await readSession(parts, sessionId, sees);
  if (agentType !== agent.name) {
    throw invalidRequest('sessionId', `is a session of the agent "${agentType}"`);
  }
  if (status === 'completed' || status === 'failed' || status === 'interrupted') {
    throw new HttpRefusal(409, {
      error: `Session ${sessionId} is ${status}; go on with it by /resume and a message.`,
      code: 'ALREADY_COMPLETED',
    });
  }
  return { sessionId, streamId, runId, created: false };
}

export function agentToStart(parts: ServerParts, agentType: string): AgentConfig {
  const types = Object.keys(parts.agents());
  const agent = parts.findAgent(agentType);
  if (!agent) throw notFound(`There is no agent "${agentType}" here: ${types.join(', ')}.`);
  return agent;
}

function inputOf({ message, state }: StartRequest): AgentInput {
  return { message: toInput(message), ...(state !== undefined && { state }) };
}

/** Without the fields that are there and undefined. */
export function toInput(message: WireMessage): string | readonly UserInputMessage[] {
  return typeof message === 'string' ? message : (JSON.parse(JSON.stringify(message)) as never);
}
