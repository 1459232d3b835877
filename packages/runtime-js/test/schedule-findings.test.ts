import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type LLMToolCall,
} from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { JSAgentExecutor } from '../src/index.ts';

// What random schedules found, each as the smallest story that shows it.

const input = z.object({});
const ask = defineTool({ name: 'ask', inputSchema: input, execute: 'client' });
const send = defineTool({
  name: 'send',
  inputSchema: input,
  requireApproval: true,
  execute: async () => 'sent',
});
const call = (name: string, id: string = name): LLMToolCall => ({ id, name, arguments: {} });
const finish: LLMToolCall = { id: 'f', name: '__finish__', arguments: { said: 'done' } };

function agent(name: string, tools: NonNullable<AgentConfig['tools']>): AgentConfig {
  return defineAgent({
    name,
    systemPrompt: name,
    llmConfig: { model: 'scripted' },
    outputSchema: z.object({ said: z.string() }),
    tools,
  });
}

it('suspends once when a child ran its approved tool while a grandchild still waits', async () => {
  const leaf = agent('leaf', [ask]);
  const worker = agent('worker', [send, createSubAgentTool(leaf, input)]);
  const root = agent('root', [createSubAgentTool(worker, input)]);
  const first: Record<string, readonly LLMToolCall[]> = {
    root: [call('subagent__worker')],
    worker: [call('send'), call('subagent__leaf')],
    leaf: [call('ask')],
  };
  const model = functionModel(({ agentType, messages }) => ({
    type: 'tool_calls',
    toolCalls: messages.some(({ role }) => role === 'assistant')
      ? [finish]
      : (first[agentType] ?? []),
  }));
  const stateStore = new InMemoryStateStore();
  const executor = new JSAgentExecutor(stateStore, new InMemoryStreamManager(), model);
  const asked = await (await executor.execute(root, 'go', { sessionId: 's' })).result();
  if (!('suspended' in asked)) throw new Error(asked.status);
  const approval = asked.suspended.toolCallIds.find((id) => id.startsWith('send')) ?? '';
  await executor.submitToolResult({
    kind: 'approval-response',
    sessionId: 's',
    toolCallId: approval,
    approved: true,
  });

  const waiting = await (await executor.resume('s')).result();

  expect(waiting).toMatchObject({ status: 'suspended_awaiting_children' });
  const calls = await stateStore.sessions.readCalls('s');
  expect(calls.map((row) => [row.toolName, row.state]).toSorted(byText)).toEqual([
    ['ask', 'open'],
    ['send', 'settled'],
  ]);
  const runs = await stateStore.sessions.readRuns({ rootId: 's', sessionId: 's-sub-1-0' });
  expect(runs.map((run) => run.status)).toEqual([
    'suspended_client_tool',
    'suspended_step_partial',
  ]);
});

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
