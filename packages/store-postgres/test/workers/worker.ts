// Stores in a Worker over a client per request, as those are that reach Postgres by HTTP.
import { defineAgent, defineTool, functionModel } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { z } from 'zod';
import { openPostgres } from '../../src/index.ts';

const refund = defineTool({
  name: 'refund',
  inputSchema: z.object({ order: z.string() }),
  requireApproval: true,
  execute: async ({ order }) => `refunded ${order}`,
});

const desk = defineAgent({
  name: 'desk',
  systemPrompt: 'You pay back.',
  tools: [refund],
  llmConfig: { model: 'scripted' },
});

const model = functionModel(({ messages }) => {
  const result = messages.findLast(({ role }) => role === 'tool');
  if (result) return { type: 'text', content: String(result.content), shouldStop: true };
  const call = { id: 'call', name: 'refund', arguments: { order: '17' } };
  return { type: 'tool_calls', toolCalls: [call] };
});

interface Env {
  readonly POSTGRES: { fetch(url: string, init: RequestInit): Promise<Response> };
}

export default {
  async fetch(request: Request, { POSTGRES }: Env): Promise<Response> {
    const sessionId = new URL(request.url).pathname.slice(1);
    const { stateStore, streamManager, close } = openPostgres({
      async query(text, values) {
        const body = JSON.stringify({ text, values });
        const answer = await POSTGRES.fetch('http://postgres/', { method: 'POST', body });
        if (!answer.ok) throw Object.assign(new Error(), await answer.json());
        return answer.json();
      },
    });
    const executor = new JSAgentExecutor(stateStore, streamManager, model);
    const known = await stateStore.sessions.readSession({ rootId: sessionId, sessionId });
    const handle = known
      ? await executor.resume(desk, sessionId)
      : await executor.execute(desk, 'Pay order 17 back.', { sessionId });
    const result = await handle.result();
    close();
    return Response.json(result);
  },
};
