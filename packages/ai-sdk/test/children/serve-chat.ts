// A chat server as a process of its own, over an SQLite file. Says its port, and each reader that it drops.
import { createServer } from 'node:http';
import { AgentServer, createNodeListener } from '@helix-agents/agent-server';
import { defineAgent, defineTool, noopLogger, type LLMAdapter } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import { z } from 'zod';
import { handleChatSnapshot, handleChatStream, type ChatDependencies } from '../../src/index.ts';

const [database = ''] = process.argv.slice(2);

/** 18 MB in one turn: large results and long texts, one after the other. */
const STEPS = 36;
const RESULT = 'x'.repeat(500_000);

const llmAdapter: LLMAdapter = {
  async generateStep({ callbacks, messages }) {
    const step = messages.length;
    if (step > 2 * STEPS) return { type: 'text', content: 'said', shouldStop: true };
    await callbacks.onTextDelta(`Step ${step}. `);
    const call = { id: `look-${step}`, name: 'look', arguments: {} };
    return { type: 'tool_calls', toolCalls: [call] };
  },
};
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: async () => RESULT,
});
const agent = defineAgent({
  name: 'looker',
  systemPrompt: 'Look.',
  llmConfig: { model: 'scripted' },
  maxSteps: STEPS + 1,
  tools: [look],
});
const stores = openSqlite(database, { synchronous: 'normal' });
const executor = new JSAgentExecutor({
  ...stores,
  llmAdapter,
  agentRegistry: { [agent.name]: agent },
});
const chat: ChatDependencies = {
  executor,
  ...stores,
  agent,
  stallMs: 2_000,
  logger: {
    ...noopLogger,
    warn: (event) => void process.stdout.write(`${event}\n`),
  },
};
const server = new AgentServer({
  allowUnauthenticated: true,
  agents: { [agent.name]: agent },
  executor,
  ...stores,
  chatHandler: (params) => handleChatStream(chat, params),
  chatSnapshot: (params) => handleChatSnapshot(chat, params),
});
const http = createServer(createNodeListener(server));
http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  process.stdout.write(`port ${typeof address === 'object' ? address?.port : ''}\n`);
});
