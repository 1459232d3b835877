import { SessionNotFoundError, type SessionRow } from '@helix-agents/core';
import { rootRef } from '@helix-agents/core/store';
import { createResumeCookie, parseValue } from '@helix-agents/http';
import type { AgentServerConfig, ChatHandler, ChatParams } from '../config.ts';
import type { Limit, RateLimits } from '../http/rate-limit.ts';
import { route, type AnyRoute, type Call } from '../http/route.ts';
import type { ServerParts } from '../parts.ts';
import { ChatRequest, ChatSnapshot, ChatStopRequest } from '../schemas.ts';
import { ownerFilter } from '../auth/access.ts';
import { answers } from './answers.ts';
import { sessionHeader, stopRoute, visibleSession } from './run-routes.ts';
import { submitRoute } from './submit-route.ts';

const CHAT_STREAM = {
  description: 'A stream of UI message chunks',
  contentType: 'text/event-stream',
};

/** What chat front ends speak; turns and streams are the chat handler's. */
export function chatRoutes(
  parts: ServerParts,
  limits: RateLimits,
  resumeCookie: AgentServerConfig['resumeCookie'] = createResumeCookie,
): readonly AnyRoute[] {
  return [
    turnRoute(parts, limits),
    readRoute(parts, {
      path: '/chat/{sessionId}/stream',
      operation: 'chat-stream',
      summary: 'Attaches to the answer that is being streamed.',
      answers: { 200: CHAT_STREAM, 204: { description: 'Nothing is live' } },
      handler: () => parts.chatHandler(),
    }),
    readRoute(parts, {
      path: '/chat/{sessionId}/snapshot',
      operation: 'chat-snapshot',
      summary: 'The whole conversation and the number of the stream it belongs to.',
      answers: {
        200: { description: 'The conversation', schema: ChatSnapshot },
        204: { description: 'Nothing new after X-Resume-From-Sequence, or no such chat' },
      },
      handler: () => parts.chatSnapshot(),
    }),
    submitRoute(
      parts,
      limits.submit,
      '/chat/{sessionId}/submit-tool-result',
      async (sessionId, { isSecure }) => {
        if (resumeCookie === false) return [];
        const head = (await parts.streams().getStreamInfo?.(sessionId))?.head ?? 0;
        const at = { resumeFromSequence: head };
        return [['set-cookie', resumeCookie(sessionId, at, { secure: isSecure })]];
      },
    ),
    stopRoute(parts, 'interrupt', '/chat/{sessionId}/interrupt', ChatStopRequest),
    stopRoute(parts, 'abort', '/chat/{sessionId}/abort', ChatStopRequest),
  ];
}

function turnRoute(parts: ServerParts, limits: RateLimits): AnyRoute {
  return route<unknown, ChatRequest>({
    method: 'POST',
    path: '/chat',
    operation: 'chat',
    sessionFields: ['sessionId', 'id'],
    summary: 'Starts or continues a chat and streams the answer.',
    body: ChatRequest,
    answers: {
      200: CHAT_STREAM,
      ...answers.any,
      ...answers.withBody,
      ...answers.notFound,
      ...answers.conflict,
      ...answers.tooMany,
    },
    async handle(call) {
      const handler = parts.chatHandler();
      const sessionId = call.sessionId ?? parts.newId();
      const session = await ownSession(parts, call, sessionId);
      if (session === null) await limits.start(call.principal.id ?? '');
      return askHandler(parts, handler, call, {
        sessionId,
        messages: call.body.messages,
        session,
        ...answering(parts, limits.submit, sessionId),
      });
    },
  });
}

/** A chat as it stands. A page may ask for one that has not begun. */
function readRoute(
  parts: ServerParts,
  definition: Pick<AnyRoute, 'path' | 'operation' | 'summary' | 'answers'> & {
    readonly handler: () => ChatHandler;
  },
): AnyRoute {
  const { handler, ...described } = definition;
  return route({
    ...described,
    method: 'GET',
    answers: { ...described.answers, ...answers.any, ...answers.notFound },
    async handle(call) {
      const visible = await visibleSession(parts, call).catch(whenHidden);
      if (visible === null) return new Response(null, { status: 204 });
      return askHandler(parts, handler(), call, { ...visible, messages: [] });
    },
  });
}

function whenHidden(error: unknown): null {
  if (SessionNotFoundError.isInstance(error)) return null;
  throw error;
}

/** The one read for owner, existence and status. A chat that does not exist yet, null, is the caller's to begin. */
async function ownSession(
  parts: ServerParts,
  { sees }: Call,
  sessionId: string,
): Promise<SessionRow | null> {
  const session = await parts.store().sessions.readSession(rootRef(sessionId));
  if (session && !sees(session)) throw new SessionNotFoundError(sessionId);
  return session;
}

/** Answers in a message are held to what the submit routes hold them to. */
function answering(
  { submitSchema, maxResultBytes }: ServerParts,
  limit: Limit,
  sessionId: string,
): Pick<ChatParams, 'checkAnswer' | 'maxResultBytes'> {
  return {
    maxResultBytes,
    async checkAnswer(answer) {
      parseValue(submitSchema, answer);
      await limit(sessionId);
    },
  };
}

async function askHandler(
  { serviceName }: ServerParts,
  handler: ChatHandler,
  { principal, sentBody, toRequest }: Call,
  chat: Omit<ChatParams, 'body' | 'request' | 'principal' | 'userId' | 'serviceName'>,
): Promise<Response> {
  const response = await handler({
    ...chat,
    body: sentBody,
    request: toRequest(),
    principal,
    ...(principal.id !== undefined && { userId: principal.id }),
    ...(ownerFilter(principal) === undefined && { access: 'all' as const }),
    ...(serviceName !== undefined && { serviceName }),
  });
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(sessionHeader(chat.sessionId)))
    headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}
