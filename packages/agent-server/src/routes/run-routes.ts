import { SessionNotFoundError, type InterruptResult, type SessionRow } from '@helix-agents/core';
import { invalidRequest, json } from '@helix-agents/http';
import { ownerFilter } from '../auth/access.ts';
import type { SessionTokens } from '../auth/session-tokens.ts';
import { closeDelegated } from '../commands/close-delegated.ts';
import { readSession } from '../commands/read-session.ts';
import { resumeAgent, resumeDelegated } from '../commands/resume-agent.ts';
import { startAgent } from '../commands/start-agent.ts';
import { startDelegated } from '../commands/start-delegated.ts';
import type { Limit } from '../http/rate-limit.ts';
import { route, type AnyRoute, type Call } from '../http/route.ts';
import type { ServerParts } from '../parts.ts';
import {
  AbortAnswer,
  InterruptAnswer,
  ResumeRequest,
  RunStarted,
  SessionStarted,
  StartRequest,
  StopRequest,
} from '../schemas.ts';
import type { SessionStarted as Started, StopRequest as Stop } from '../wire.ts';
import { answers } from './answers.ts';

/** Starting, going on, stopping. */
export function runRoutes(
  parts: ServerParts,
  limitStarts: Limit,
  tokens: SessionTokens | undefined,
): readonly AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/start',
      operation: 'start',
      summary:
        'Starts a new session. Sent again while it is active, it returns the run in progress.',
      body: StartRequest,
      answers: {
        200: { description: 'The run', schema: SessionStarted },
        ...answers.any,
        ...answers.withBody,
        ...answers.notFound,
        ...answers.conflict,
        ...answers.tooMany,
      },
      async handle({ body, principal, sees, isDelegated }) {
        // A token for a session that the caller only names would be anybody's key to it.
        if (tokens && principal.id === undefined && principal.sessionId === undefined) {
          if (body.sessionId !== undefined)
            throw invalidRequest('sessionId', 'leave it out: the server issues it');
        }
        await limitStarts(principal.id ?? '');
        const request = { ...body, userId: principal.id };
        if (isDelegated) return answerRun(await startDelegated(parts, request, sees));
        const started = await startAgent(parts, request, sees);
        // A token opens its session until it ends: it is not exchanged for a younger one.
        const isIssued = tokens && principal.sessionId === undefined;
        return answerRun(isIssued ? await withToken(tokens, started, principal.id) : started);
      },
    }),
    route({
      method: 'POST',
      path: '/resume',
      operation: 'resume',
      summary: 'Goes on with a session: takes answers in, or adds a message.',
      body: ResumeRequest,
      answers: {
        200: { description: 'The new run', schema: RunStarted },
        ...answers.any,
        ...answers.withBody,
        ...answers.notFound,
        ...answers.conflict,
      },
      async handle({ body, sees, isDelegated }) {
        const resume = isDelegated ? resumeDelegated : resumeAgent;
        return answerRun(await resume(parts, body, sees));
      },
    }),
    stopRoute(parts, 'interrupt', '/interrupt', StopRequest),
    stopRoute(parts, 'abort', '/abort', StopRequest),
  ];
}

/** Durable and from any server: it is written to the store, and the process that runs the session obeys. */
export function stopRoute(
  parts: ServerParts,
  operation: 'interrupt' | 'abort',
  path: string,
  body: AnyRoute['body'],
): AnyRoute {
  const isSoft = operation === 'interrupt';
  return route<unknown, Omit<Stop, 'sessionId'>>({
    method: 'POST',
    path,
    operation,
    summary: isSoft
      ? 'Stops a session softly: it can be resumed.'
      : 'Stops a session for good: it fails, its open calls are closed.',
    body: body as never,
    answers: {
      200: { description: 'What became of it', schema: isSoft ? InterruptAnswer : AbortAnswer },
      ...answers.any,
      ...answers.withBody,
      ...answers.notFound,
      ...answers.conflict,
    },
    async handle(call) {
      if (call.isDelegated && !isSoft) return json(200, await closeDelegated(parts, call));
      const { sessionId } = await visibleSession(parts, call);
      const executor = parts.executor();
      const { reason, runId } = call.body;
      const only = runId === undefined ? {} : { runId };
      return json(
        200,
        isSoft
          ? ((await executor.interrupt(sessionId, reason, only)) satisfies InterruptResult)
          : await executor.abort(sessionId, reason, only),
      );
    },
  });
}

export interface VisibleSession {
  readonly sessionId: string;
  /** Looked up only where the caller may not touch every session. */
  readonly session?: SessionRow;
}

/** The session a call names. `SessionNotFoundError` where it is not for the caller. */
export async function visibleSession(
  parts: ServerParts,
  { sessionId, principal, sees }: Call,
): Promise<VisibleSession> {
  if (sessionId === undefined) throw new SessionNotFoundError('');
  if (ownerFilter(principal) === undefined) return { sessionId };
  return { sessionId, session: await readSession(parts, sessionId, sees) };
}

async function withToken(
  tokens: SessionTokens,
  started: Started,
  id: string | undefined,
): Promise<Started> {
  const { sessionId } = started;
  return { ...started, ...(await tokens.issue({ sessionId, ...(id !== undefined && { id }) })) };
}

function answerRun(run: { readonly sessionId: string }): Response {
  return json(200, run, sessionHeader(run.sessionId));
}

/** Ids may hold what a header may not. */
export function sessionHeader(sessionId: string): Readonly<Record<string, string>> {
  return { 'x-session-id': encodeURIComponent(sessionId) };
}
