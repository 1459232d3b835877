import {
  AgentNotFoundError,
  NotResumableError,
  type AgentConfig,
  type Helix,
  type SqliteStateStore,
  type SubmitToolResult,
} from '@helix-agents/sdk';
import { handleChatSnapshot, handleChatStream, type ChatDependencies } from '@helix-agents/ai-sdk';
import { toolSchemas } from './agents.ts';
import { createConversations } from './conversations.ts';
import type { Titles } from './titles.ts';

/** What the page asks for, as a function from request to response. */
export interface Api {
  handle(request: Request): Promise<Response>;
}

export function createApi(
  helix: Helix,
  stateStore: SqliteStateStore,
  agent: AgentConfig,
  titles: Titles,
  kill: () => void,
): Api {
  const { executor } = helix;
  const conversations = createConversations(helix, stateStore, titles);
  const chat: ChatDependencies = {
    executor,
    stateStore,
    streamManager: helix.stores.streamManager,
    agent,
  };

  /** An answer from outside of the chat: stored, then taken up. */
  async function answer(request: Request): Promise<Response> {
    const submission = (await request.json()) as SubmitToolResult;
    const outcome = await executor.submitToolResult(submission, { answeredBy: 'inbox' });
    await executor
      .resume(agent, submission.sessionId, { ifRunning: 'attach' })
      .catch(ignoreWhenOver);
    return Response.json(outcome);
  }

  const routes: { readonly [route: string]: Route } = {
    'POST chat': (request) => handleChatStream(chat, { request }),
    'GET chat/:id/stream': (request, sessionId) => handleChatStream(chat, { request, sessionId }),
    'GET chat/:id/snapshot': (request, sessionId) =>
      handleChatSnapshot(chat, { request, sessionId }),
    'POST chat/:id/interrupt': async (_, id) =>
      Response.json(await executor.interrupt(id, 'stopped in the page')),
    'GET overview': () => conversations.overview(),
    'PATCH sessions/:id': (request, id) => conversations.rename(id, request),
    'DELETE sessions/:id': (_, id) => conversations.remove(id),
    'GET tools': async () => Response.json(toolSchemas),
    'POST answer': answer,
    'POST kill': async () => {
      kill();
      return new Response(null, { status: 202 });
    },
  };

  return {
    async handle(request) {
      const { pathname } = new URL(request.url);
      const [, , area, id = '', what] = pathname.split('/').map(decodeURIComponent);
      const route = `${request.method} ${area}${id && '/:id'}${what ? `/${what}` : ''}`;
      const found = Object.hasOwn(routes, route) ? routes[route] : undefined;
      return found ? found(request, id) : Response.json({ error: 'Not found' }, { status: 404 });
    },
  };
}

type Route = (request: Request, id: string) => Promise<Response>;

/** Somebody else took the answer up already. */
function ignoreWhenOver(error: unknown): void {
  if (NotResumableError.isInstance(error) || AgentNotFoundError.isInstance(error)) return;
  throw error;
}
