import type { Helix, SqliteStateStore } from '@helix-agents/sdk';
import { z } from 'zod';
import type { Titles } from './titles.ts';

/** The list beside the chat: what there is, what it is called, what waits in it. */
export interface Conversations {
  overview(): Promise<Response>;
  rename(sessionId: string, request: Request): Promise<Response>;
  remove(sessionId: string): Promise<Response>;
}

const SESSIONS_SHOWN = 100;
const renaming = z.object({ title: z.string().trim().min(1).max(80) });

export function createConversations(
  { executor, stores }: Pick<Helix, 'executor' | 'stores'>,
  stateStore: SqliteStateStore,
  titles: Titles,
): Conversations {
  /** As somebody named it, else what it began with. */
  const titleOf = async (sessionId: string): Promise<string> => {
    const given = titles.get(sessionId);
    if (given !== undefined) return given;
    const { messages } = await stateStore.getMessages(sessionId, { limit: 1 });
    const [first] = messages;
    if (first?.role !== 'user') return 'New chat';
    return first.content.slice(0, 80) || (first.files?.[0]?.filename ?? 'New chat');
  };

  return {
    async overview() {
      const { items: sessions } = await executor.listSessions({ limit: SESSIONS_SHOWN });
      const { items: calls } = await executor.listOpenCalls();
      const named = new Map<string, string>();
      for (const { sessionId } of sessions) named.set(sessionId, await titleOf(sessionId));
      return Response.json({
        pid: process.pid,
        sessions: sessions.map(({ sessionId, status, createdAt, updatedAt }) => ({
          id: sessionId,
          title: named.get(sessionId),
          status,
          createdAt,
          updatedAt,
          waiting: calls.filter(({ rootId }) => rootId === sessionId).length,
        })),
        inbox: calls.map((call) => ({
          sessionId: call.rootId,
          title: named.get(call.rootId) ?? '',
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          kind: call.kind,
          agentType: call.ownerAgentType,
          input: call.input,
          openedAt: call.openedAt,
        })),
      });
    },

    async rename(sessionId, request) {
      const parsed = renaming.safeParse(await request.json().catch(() => null));
      if (!parsed.success) {
        return Response.json({ error: 'A title has 1 to 80 characters.' }, { status: 400 });
      }
      if (!(await stateStore.sessionExists(sessionId))) return notFound();
      titles.set(sessionId, parsed.data.title);
      return new Response(null, { status: 204 });
    },

    async remove(sessionId) {
      if (!(await stateStore.sessionExists(sessionId))) return notFound();
      // A run that is under way stops first: it would find its session gone.
      await executor.abort(sessionId, 'the conversation was deleted');
      await stateStore.deleteSession(sessionId);
      await stores.streamManager.deleteStream?.(sessionId);
      titles.delete(sessionId);
      return new Response(null, { status: 204 });
    },
  };
}

function notFound(): Response {
  return Response.json({ error: 'There is no such conversation.' }, { status: 404 });
}
