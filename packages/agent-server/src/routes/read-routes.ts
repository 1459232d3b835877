import { HttpRefusal, json } from '@helix-agents/http';
import { ownerFilter } from '../auth/access.ts';
import type { Principal } from '../auth/authenticate.ts';
import {
  listOpenCalls,
  listSessions,
  readDetail,
  readSession,
  readStatus,
  sessionSummary,
} from '../commands/read-session.ts';
import { route, type AnyRoute } from '../http/route.ts';
import type { ServerParts } from '../parts.ts';
import {
  OpenCallsPage,
  OpenCallsQuery,
  SessionDetail,
  SessionDetailQuery,
  SessionQuery,
  SessionsPage,
  SessionsQuery,
  SessionStatus,
} from '../schemas.ts';
import { answers } from './answers.ts';

/** How sessions stand, and what waits for people. */
export function readRoutes(parts: ServerParts): readonly AnyRoute[] {
  return [...sessionRoutes(parts), ...listRoutes(parts)];
}

function sessionRoutes(parts: ServerParts): readonly AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/status',
      operation: 'status',
      sessionFields: ['sessionId'],
      summary: 'How a session stands and what it waits for.',
      query: SessionQuery,
      answers: {
        200: { description: 'The session', schema: SessionStatus },
        ...answers.any,
        ...answers.notFound,
      },
      async handle({ query, sees }) {
        return json(200, await readStatus(parts, query.sessionId, sees));
      },
    }),
    route({
      method: 'GET',
      path: '/sessions/{sessionId}',
      operation: 'get-session',
      summary: 'A session with its state, a page of its messages and its runs.',
      query: SessionDetailQuery,
      answers: {
        200: { description: 'The session', schema: SessionDetail },
        ...answers.any,
        ...answers.notFound,
      },
      async handle({ sessionId = '', query, sees }) {
        return json(200, await readDetail(parts, sessionId, query, sees));
      },
    }),
  ];
}

function listRoutes(parts: ServerParts): readonly AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/sessions',
      operation: 'list-sessions',
      needsBinding: false,
      isListing: true,
      summary: 'Root sessions, last changed first.',
      query: SessionsQuery,
      answers: { 200: { description: 'A page', schema: SessionsPage }, ...answers.any },
      async handle({ query, principal, sees }) {
        if (principal.sessionId !== undefined) {
          const session = await readSession(parts, principal.sessionId, sees).catch(() => null);
          return json(200, { items: session ? [sessionSummary(session)] : [], cursor: null });
        }
        return json(200, await listSessions(parts, { ...query, ...narrowed(principal, query) }));
      },
    }),
    route({
      method: 'GET',
      path: '/open-calls',
      operation: 'list-open-calls',
      sessionFields: ['sessionId'],
      needsBinding: false,
      isListing: true,
      summary: 'What waits for people, oldest first.',
      query: OpenCallsQuery,
      answers: { 200: { description: 'A page', schema: OpenCallsPage }, ...answers.any },
      async handle({ query, principal }) {
        return json(200, await listOpenCalls(parts, { ...query, ...narrowed(principal, query) }));
      },
    }),
  ];
}

interface Narrowing {
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
}

/** The filter of a listing for this caller. A filter for another user's sessions is refused. */
function narrowed(principal: Principal, asked: Narrowing): Narrowing {
  const { sessionId } = principal;
  const userId = ownerFilter(principal);
  const limits = {
    ...(sessionId !== undefined && { sessionId }),
    ...(userId !== undefined && { userId }),
  };
  for (const [name, value] of Object.entries(limits)) {
    const wanted = asked[name as keyof Narrowing];
    if (wanted === undefined || wanted === value) continue;
    throw new HttpRefusal(403, { error: `Only your own: leave ${name} out.`, code: 'FORBIDDEN' });
  }
  return limits;
}
