import type { AgentServerConfig } from '../src/index.ts';

/** A chat that says only which session it was asked for. */
export const standInChat: Pick<AgentServerConfig, 'chatHandler' | 'chatSnapshot'> = {
  chatHandler: ({ sessionId }) =>
    new Response(`data: ${JSON.stringify(sessionId)}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    }),
  chatSnapshot: ({ sessionId }) =>
    Response.json({ sessionId, messages: [], streamSequence: 0, status: 'empty' }),
};
