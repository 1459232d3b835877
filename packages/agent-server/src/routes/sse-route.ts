import { EVENT_STREAM_HEADERS, invalidRequest } from '@helix-agents/http';
import { readSession } from '../commands/read-session.ts';
import { route, type AnyRoute } from '../http/route.ts';
import type { ServerParts } from '../parts.ts';
import { SseQuery } from '../schemas.ts';
import { feedEvents } from '../sse/feed-events.ts';
import { announceWhatIsStored, openFeed } from '../sse/session-feed.ts';
import { answers } from './answers.ts';
import { sessionHeader } from './run-routes.ts';

/** The stream of a session as server-sent events. */
export function sseRoute(parts: ServerParts): AnyRoute {
  return route({
    method: 'GET',
    path: '/sse',
    operation: 'sse',
    sessionFields: ['sessionId'],
    summary:
      'Chunks after a number, then live; ends with an `end` event when nothing runs any more.',
    query: SseQuery,
    answers: {
      200: { description: 'Server-sent events', contentType: 'text/event-stream' },
      ...answers.any,
      ...answers.notFound,
    },
    async handle({ query, sees, headers }) {
      const after = cursorOf(headers) ?? query.after ?? 0;
      const session = await readSession(parts, query.sessionId, sees);
      await announceWhatIsStored(parts, session);
      const head = (await parts.streams().getStreamInfo?.(session.streamId))?.head;
      if (head !== undefined && after > head) {
        throw invalidRequest('after', `the newest chunk is ${head}; leave it out to read all`);
      }
      const feed = openFeed(parts, session, after);
      const body = feedEvents(feed, parts.sse, () => {
        parts.logger.warn('server.reader_dropped', { sessionId: session.sessionId });
      });
      return new Response(body, {
        headers: { ...EVENT_STREAM_HEADERS, ...sessionHeader(session.sessionId) },
      });
    },
  });
}

/** Sent by a browser that reconnects; empty if it has not received an event yet. */
function cursorOf(headers: Headers): number | undefined {
  const text = headers.get('last-event-id');
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalidRequest('last-event-id', 'must be a whole number');
  return Number(text);
}
