import {
  defineAgent,
  defineTool,
  type AgentConfig,
  type LLMConfig,
  type Message,
  type StreamChunk,
} from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { z } from 'zod';
import { VercelAIAdapter } from '../src/index.ts';

/** What an application has: stores that outlive its processes. */
export interface Bench {
  readonly stateStore: InMemoryStateStore;
  readonly streamManager: InMemoryStreamManager;
  /** Inputs `look` ran with. */
  readonly looked: string[];
  agent(config: LLMConfig): AgentConfig;
  /** A process: an executor and an adapter of its own. */
  start(agent: AgentConfig): JSAgentExecutor;
  messages(sessionId: string): Promise<readonly Message[]>;
}

export function openBench(): Bench {
  const stateStore = new InMemoryStateStore();
  const streamManager = new InMemoryStreamManager();
  const looked: string[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks something up.',
    inputSchema: z.object({ where: z.string() }),
    execute: ({ where }) => {
      looked.push(where);
      return { seen: where };
    },
  });
  const send = defineTool({
    name: 'send',
    description: 'Sends a letter.',
    inputSchema: z.object({ to: z.string() }),
    requireApproval: true,
    execute: ({ to }) => `sent to ${to}`,
  });
  return {
    stateStore,
    streamManager,
    looked,
    agent: (config) =>
      defineAgent({
        name: 'clerk',
        systemPrompt: 'You are a clerk.',
        tools: [look, send],
        llmConfig: config,
      }),
    start: (agent) =>
      new JSAgentExecutor(stateStore, streamManager, new VercelAIAdapter(), {
        agentRegistry: { clerk: agent },
      }),
    async messages(sessionId) {
      const rows = await stateStore.sessions.readMessages({ sessionId, rootId: sessionId });
      return rows.map((row) => row.message);
    },
  };
}

export async function chunksOf(
  stream: Promise<AsyncIterable<StreamChunk> | null>,
): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  for await (const chunk of (await stream) ?? []) chunks.push(chunk);
  return chunks;
}
