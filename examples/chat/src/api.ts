import {
  AgentNotFoundError,
  NotResumableError,
  type AgentConfig,
  type Helix,
  type SqliteStateStore,
  type SubmitToolResult,
} from '@helix-agents/sdk';
import { handleChatSnapshot, handleChatStream, type ChatDependencies } from '@helix-agents/ai-sdk';

/** What the page asks for, as a function from request to response. */
export interface Api {
  handle(request: Request): Promise<Response>;
}

const SESSIONS_SHOWN = 30;

export function createApi(
  helix: Helix,
  stateStore: SqliteStateStore,
  agent: AgentConfig,
  kill: () => void,
): Api {
  const { executor } = helix;
  const chat: ChatDependencies = {
    executor,
    stateStore,
    streamManager: helix.stores.streamManager,
    agent,
  };

  async function overview(): Promise<Response> {
    const { items: sessions } = await executor.listSessions({ limit: SESSIONS_SHOWN });
    const { items: calls } = await executor.listOpenCalls();
    const titles = new Map<string, string>();
    for (const { sessionId } of sessions)
      titles.set(sessionId, await titleOf(stateStore, sessionId));
    return Response.json({
      pid: process.pid,
      sessions: sessions.map(({ sessionId, status, updatedAt }) => ({
        id: sessionId,
        title: titles.get(sessionId),
        status,
        updatedAt,
        waiting: calls.filter(({ rootId }) => rootId === sessionId).length,
      })),
      inbox: calls.map((call) => ({
        sessionId: call.rootId,
        title: titles.get(call.rootId) ?? '',
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        kind: call.kind,
        agentType: call.ownerAgentType,
        input: call.input,
        openedAt: call.openedAt,
      })),
    });
  }

  /** An answer from outside of the chat: stored, then taken up. */
  async function answer(request: Request): Promise<Response> {
    const submission = (await request.json()) as SubmitToolResult;
    const outcome = await executor.submitToolResult(submission, { answeredBy: 'inbox' });
    await executor
      .resume(agent, submission.sessionId, { ifRunning: 'attach' })
      .catch(ignoreWhenOver);
    return Response.json(outcome);
  }

  return {
    async handle(request) {
      const { pathname } = new URL(request.url);
      const [, , area, id, what] = pathname.split('/').map(decodeURIComponent);
      const route = `${request.method} ${area}${id ? '/:id' : ''}${what ? `/${what}` : ''}`;
      switch (route) {
        case 'POST chat':
          return handleChatStream(chat, { request });
        case 'GET chat/:id/stream':
          return handleChatStream(chat, { request, sessionId: id ?? '' });
        case 'GET chat/:id/snapshot':
          return handleChatSnapshot(chat, { request, sessionId: id ?? '' });
        case 'POST chat/:id/interrupt':
          return Response.json(await executor.interrupt(id ?? '', 'stopped in the page'));
        case 'GET overview':
          return overview();
        case 'POST answer':
          return answer(request);
        case 'POST kill':
          kill();
          return new Response(null, { status: 202 });
        default:
          return Response.json({ error: 'Not found' }, { status: 404 });
      }
    },
  };
}

/** Somebody else took the answer up already. */
function ignoreWhenOver(error: unknown): void {
  if (NotResumableError.isInstance(error) || AgentNotFoundError.isInstance(error)) return;
  throw error;
}

/** What the conversation began with. */
async function titleOf(stateStore: SqliteStateStore, sessionId: string): Promise<string> {
  const { messages } = await stateStore.getMessages(sessionId, { limit: 1 });
  const [first] = messages;
  return first?.role === 'user' ? first.content.slice(0, 80) : 'New chat';
}
