import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type LLMToolCall,
} from '@helix-agents/core';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { manualClock } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

const SESSION = 'session';

const send = defineTool({
  name: 'send',
  inputSchema: z.object({ to: z.string() }),
  requireApproval: true,
  execute: ({ to }) => `sent to ${to}`,
});
const locate = defineTool({ name: 'locate', inputSchema: z.object({}), execute: 'client' });

/** An executor whose model makes `calls` in its first answer and then stops. */
function setUp(calls: readonly Omit<LLMToolCall, 'id'>[]) {
  const database = new MemoryDatabase();
  const clock = manualClock();
  const stateStore = new InMemoryStateStore({ database });
  const usageStore = new InMemoryUsageStore({ database });
  const executor = new JSAgentExecutor({
    stateStore,
    usageStore,
    clock,
    streamManager: new InMemoryStreamManager({ database }),
    llmAdapter: functionModel(({ messages, agentType }) => {
      if (messages.some((message) => message.role === 'tool'))
        return { type: 'text', content: 'done', shouldStop: true };
      const own = agentType === 'child' ? [{ name: 'locate', arguments: {} }] : calls;
      return {
        type: 'tool_calls',
        toolCalls: own.map((call, index) => ({ id: `call_${index}`, ...call })),
      };
    }),
  });
  const start = async (agent: AgentConfig) => {
    const handle = await executor.execute(agent, 'go', { sessionId: SESSION });
    return handle.result();
  };
  return { clock, executor, start, stateStore, usageStore };
}

const agent = defineAgent({
  name: 'agent',
  systemPrompt: '',
  tools: [send, locate],
  llmConfig: { model: 'm' },
});

it('usage: an approval records how long the person took', async () => {
  const { clock, executor, start, usageStore } = setUp([{ name: 'send', arguments: { to: 'a' } }]);
  await start(agent);

  await clock.advance(4_000);
  await executor.submitToolResult({
    kind: 'approval-response',
    sessionId: SESSION,
    toolCallId: 'call_0',
    approved: true,
  });
  await clock.advance(60_000);
  const resumed = await executor.resume(SESSION);
  await resumed.result();

  const { custom } = await usageStore.getRollup(SESSION);
  expect(custom['client_tool_wait_ms']).toBe(4_000);
});

it('usage: an abort records the calls that it closes', async () => {
  const { executor, start, usageStore } = setUp([
    { name: 'send', arguments: { to: 'a' } },
    { name: 'locate', arguments: {} },
  ]);
  await start(agent);

  await executor.abort(SESSION);

  const { custom } = await usageStore.getRollup(SESSION);
  expect(custom['client_tool_abort']).toBe(2);
});

it('the state shows the input that a tool ran with while another call of its step is open', async () => {
  const { executor, start, stateStore } = setUp([
    { name: 'send', arguments: { to: 'a' } },
    { name: 'locate', arguments: {} },
  ]);
  await start(agent);
  await executor.submitToolResult({
    kind: 'approval-response',
    sessionId: SESSION,
    toolCallId: 'call_0',
    approved: true,
    input: { to: 'b' },
  });
  const resumed = await executor.resume(SESSION);
  expect(await resumed.result()).toMatchObject({ status: 'suspended_step_partial' });

  const messages = await stateStore.getAllMessages(SESSION);

  expect(messages.at(-1)).toMatchObject({ content: 'sent to b', executedInput: { to: 'b' } });
});

it('submitToolResult names the right session to a caller who named the wrong one', async () => {
  const child = defineAgent({
    name: 'child',
    systemPrompt: '',
    tools: [locate],
    outputSchema: z.object({}),
    llmConfig: { model: 'm' },
  });
  const parent = defineAgent({
    name: 'parent',
    systemPrompt: '',
    tools: [createSubAgentTool(child, z.object({}))],
    llmConfig: { model: 'm' },
  });
  const { executor, start } = setUp([{ name: 'subagent__child', arguments: {} }]);
  await start(parent);
  const { items } = await executor.listOpenCalls();
  const { ownerSessionId, toolCallId } = items[0]!;

  const cancel = (sessionId: string) => executor.cancelOpenCall({ sessionId, toolCallId });

  await expect(cancel(ownerSessionId)).rejects.toMatchObject({
    code: 'NOT_ROOT_SESSION',
    rootId: SESSION,
  });
  expect(await cancel('nobody')).toEqual({
    status: 'unknown_tool_call',
    reason: 'session_not_found',
  });
  expect(await cancel(SESSION)).toEqual({ status: 'accepted' });
});
