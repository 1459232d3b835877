import {
  SessionExistsError,
  SessionNotFoundError,
  type ExecuteOptions,
  type UserInputMessage,
} from '@helix-agents/core';
import { HttpRefusal, invalidRequest } from '@helix-agents/http';
import type { ServerParts } from '../parts.ts';
import type { SessionStarted, StartRequest } from '../wire.ts';
import { readSession, type Sees } from './read-session.ts';
import { agentToStart, toInput } from './start-agent.ts';

/**
 * A start for another server. Sent again with the same input it answers the same, whatever became of the session; with
 * another input it is refused. The id of the first message tells which input began a session.
 */
export async function startDelegated(
  parts: ServerParts,
  request: StartRequest & { readonly userId?: string | undefined },
  sees: Sees,
): Promise<SessionStarted> {
  const { sessionId, notAfter, userId, state, tags, metadata } = request;
  if (sessionId === undefined) throw invalidRequest('sessionId', 'a remote agent is started by it');
  if (notAfter === undefined) throw invalidRequest('notAfter', 'say until when the start counts');
  if (parts.now() > notAfter) throw tooLate(sessionId);
  const agent = agentToStart(parts, request.agentType);
  const id = await startId(request);
  const options: ExecuteOptions = {
    sessionId,
    ifExists: 'reject',
    ...(userId !== undefined && { userId }),
    ...(tags !== undefined && { tags }),
    ...(metadata !== undefined && { metadata }),
  };
  try {
    const message = withFirstId(toInput(request.message), id);
    const input = { message, ...(state !== undefined && { state }) };
    const { runId, streamId } = await parts.executor().execute(agent, input, options);
    return { sessionId, streamId, runId, created: true };
  } catch (error) {
    const isThere = SessionExistsError.isInstance(error) || SessionNotFoundError.isInstance(error);
    if (!isThere) throw error;
  }
  const session = await readSession(parts, sessionId, sees);
  const first = await parts.store().sessions.readMessage(session, id);
  if (!first || session.agentType !== agent.name) throw differs(sessionId);
  const { streamId, runId } = session;
  return { sessionId, streamId, runId, created: false };
}

function withFirstId(
  message: string | readonly UserInputMessage[],
  id: string,
): readonly UserInputMessage[] {
  if (typeof message === 'string') return [{ role: 'user', id, content: message }];
  return message.map((each, index) => (index === 0 ? { ...each, id } : each));
}

/** The same for the same input. */
async function startId({ message, state, tags, metadata }: StartRequest): Promise<string> {
  const text = JSON.stringify([message, state ?? null, tags ?? null, metadata ?? null]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  return `start:${bytes.join('')}`;
}

function tooLate(sessionId: string): HttpRefusal {
  return new HttpRefusal(409, {
    error: `The start of ${sessionId} came after its notAfter, by the clock of this server; send it again with a later one.`,
    code: 'START_TOO_LATE',
  });
}

function differs(sessionId: string): HttpRefusal {
  return new HttpRefusal(409, {
    error: `Session ${sessionId} was started with another input; start another session.`,
    code: 'START_DIFFERS',
  });
}
