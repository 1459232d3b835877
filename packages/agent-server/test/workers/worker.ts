// An application on Workers: a Durable Object holds the agents, so that a run outlives the request that started it; the
// Worker in front hands requests to it.
import {
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type LLMAdapter,
} from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { z } from 'zod';
import { AgentServer, createHttpAdapter, type FetchHandler } from '../../src/index.ts';

const pickColor = defineTool({
  name: 'pick_color',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.object({ color: z.string() }),
  execute: 'client',
});

const painter: AgentConfig = defineAgent({
  name: 'painter',
  systemPrompt: 'You paint.',
  tools: [pickColor],
  llmConfig: { model: 'scripted' },
});

/** Has skills that are part of the program: a Worker has no files. */
const clerk: AgentConfig = defineAgent({
  name: 'clerk',
  systemPrompt: 'You help.',
  preloadSkills: ['tone'],
  skills: [
    { name: 'tone', description: 'How to speak.', body: 'Be kind.' },
    {
      name: 'refunds',
      description: 'How to refund an order.',
      body: 'Read limits.md.',
      resources: { 'limits.md': 'one\ntwo' },
    },
  ],
  llmConfig: { model: 'scripted' },
});

const CLERKS_CALLS = [
  { id: 'load', name: 'load_skill', arguments: { name: 'refunds' } },
  {
    id: 'read',
    name: 'read_skill_file',
    arguments: { skill: 'refunds', path: 'limits.md', startLine: 2 },
  },
];

/** Loads a skill, reads its file, and says what it was given. */
const looksUp: LLMAdapter = functionModel(({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool');
  const next = CLERKS_CALLS[results.length];
  if (next) return { type: 'tool_calls', toolCalls: [next] };
  const given = [messages[0], ...results].map((message) => message?.content);
  return { type: 'text', content: JSON.stringify(given), shouldStop: true };
});

const asks: LLMAdapter = functionModel(({ messages }) => {
  const answer = messages.findLast(({ role }) => role === 'tool');
  if (answer) return { type: 'text', content: `It is ${String(answer.content)}`, shouldStop: true };
  const color = { id: 'color', name: 'pick_color', arguments: { question: 'Which one?' } };
  return { type: 'tool_calls', toolCalls: [color] };
});

/** Says a few words before it asks or answers, with time between them. */
const model: LLMAdapter = {
  async generateStep(input) {
    if (input.agentType === 'clerk') return looksUp.generateStep(input);
    for (const word of ['let ', 'me ', 'see ']) {
      await input.callbacks.onTextDelta(word);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    return asks.generateStep(input);
  },
};

function createHandler(): FetchHandler {
  const stateStore = new InMemoryStateStore();
  const streamManager = new InMemoryStreamManager({ database: stateStore.database });
  const agents = { clerk, painter };
  const server = new AgentServer({
    agents,
    stateStore,
    streamManager,
    executor: new JSAgentExecutor({
      stateStore,
      streamManager,
      llmAdapter: model,
      agentRegistry: agents,
    }),
    authenticate: ({ headers }) => headers['authorization'] === 'Bearer worker',
  });
  return createHttpAdapter(server, { basePath: '/api' });
}

export class Agents {
  readonly #handler: FetchHandler = createHandler();

  fetch(request: Request): Promise<Response> {
    return this.#handler.fetch(request);
  }
}

interface Env {
  readonly AGENTS: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  fetch: (request, env) => env.AGENTS.getByName('all').fetch(request),
};
export default worker;
