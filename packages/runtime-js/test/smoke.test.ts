import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  type Message,
} from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { JSAgentExecutor } from '../src/index.ts';

const turns = (messages: readonly Message[]): number =>
  messages.filter((m) => m.role === 'assistant').length;

it('runs a tool, asks for approval and a client result, in a child and at the root', async () => {
  const ledger: string[] = [];
  const child = defineAgent({
    name: 'child',
    systemPrompt: 'child',
    outputSchema: z.object({ said: z.string() }),
    llmConfig: { model: 'm' },
    tools: [
      defineTool({ name: 'ask', inputSchema: z.object({ q: z.string() }), execute: 'client' }),
    ],
  });
  const agent = defineAgent({
    name: 'root',
    systemPrompt: 'root',
    llmConfig: { model: 'm' },
    stateSchema: z.object({ notes: z.array(z.string()).default([]) }),
    tools: [
      defineTool({
        name: 'add',
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        execute: async ({ a, b }, ctx) => {
          ledger.push('add');
          ctx.updateState<{ notes: string[] }>((s) => void s.notes.push(`${a}+${b}`));
          return a + b;
        },
      }),
      defineTool({
        name: 'send',
        inputSchema: z.object({ to: z.string() }),
        requireApproval: true,
        execute: async ({ to }) => {
          ledger.push('send');
          return `sent to ${to}`;
        },
      }),
      defineTool({ name: 'pick', inputSchema: z.object({}), execute: 'client' }),
      createSubAgentTool(child, z.object({ topic: z.string() })),
    ],
  });
  const model = functionModel((input) => {
    const n = turns(input.messages);
    if (input.agentType === 'child') {
      return n === 0
        ? { type: 'tool_calls', toolCalls: [{ id: 'c', name: 'ask', arguments: { q: 'why' } }] }
        : {
            type: 'tool_calls',
            toolCalls: [{ id: 'f', name: '__finish__', arguments: { said: 'done' } }],
          };
    }
    if (n === 0) {
      return {
        type: 'tool_calls',
        content: 'let me see',
        toolCalls: [
          { id: '1', name: 'add', arguments: { a: 1, b: 2 } },
          { id: '2', name: 'send', arguments: { to: 'bob' } },
          { id: '3', name: 'pick', arguments: {} },
          { id: '4', name: 'subagent__child', arguments: { topic: 'x' } },
          { id: '5', name: 'nope', arguments: {} },
        ],
      };
    }
    return { type: 'text', content: 'all done', shouldStop: true };
  });
  const stateStore = new InMemoryStateStore();
  const streamManager = new InMemoryStreamManager();
  const make = (): JSAgentExecutor =>
    new JSAgentExecutor(stateStore, streamManager, model, { agentRegistry: { root: agent } });
  const a = make();
  const handle = await a.execute(agent, 'hello', { sessionId: 's' });
  const first = await handle.result();
  expect(first.status).toBe('suspended_client_tool');
  if (!('suspended' in first)) throw new Error('unreachable');
  expect(first.suspended.toolCallIds.length).toBe(3);
  const b = make();
  expect(
    await b.submitToolResult({
      kind: 'client-tool-result',
      sessionId: 's',
      toolCallId: '3',
      result: 'red',
    }),
  ).toEqual({ status: 'accepted' });
  expect(
    await b.submitToolResult({
      kind: 'client-tool-result',
      sessionId: 's',
      toolCallId: '3',
      result: 'red',
    }),
  ).toEqual({ status: 'already_completed' });
  const second = await (await b.resume({ sessionId: 's' })).result();
  expect(second.status).toBe('suspended_step_partial');
  const childCall = first.suspended.toolCallIds.find((id) => id.startsWith('c~')) as string;
  await b.submitToolResult({
    kind: 'client-tool-result',
    sessionId: 's',
    toolCallId: childCall,
    result: 'because',
  });
  await b.submitToolResult({
    kind: 'approval-response',
    sessionId: 's',
    toolCallId: '2',
    approved: true,
  });
  const third = await (await make().resume('s')).result();
  expect(third).toEqual({ status: 'completed', output: 'all done' });
  expect(ledger).toEqual(['add', 'send']);
  const messages = await stateStore.sessions.readMessages({ rootId: 's', sessionId: 's' });
  expect(
    messages.map((row) => [
      row.sequence,
      row.message.role,
      'toolCallId' in row.message ? row.message.content : '',
    ]),
  ).toMatchInlineSnapshot(`
    [
      [
        1,
        "user",
        "",
      ],
      [
        2,
        "assistant",
        "",
      ],
      [
        3,
        "tool",
        "3",
      ],
      [
        4,
        "tool",
        "sent to bob",
      ],
      [
        5,
        "tool",
        "red",
      ],
      [
        6,
        "tool",
        "{"said":"done"}",
      ],
      [
        7,
        "tool",
        "Error: There is no tool "nope". Available tools: add, send, pick, subagent__child.",
      ],
      [
        8,
        "assistant",
        "",
      ],
    ]
  `);
  const reader = await streamManager.createReader('s');
  const types: string[] = [];
  for await (const chunk of reader!)
    types.push(`${chunk.type}${'toolCallId' in chunk ? ':' + chunk.toolCallId : ''}`);
  expect(types).toMatchInlineSnapshot(`
    [
      "run_started",
      "text_delta",
      "tool_arg_stream_start:1",
      "tool_arg_stream_delta:1",
      "tool_arg_stream_start:2",
      "tool_arg_stream_delta:2",
      "tool_arg_stream_start:3",
      "tool_arg_stream_delta:3",
      "tool_arg_stream_start:4",
      "tool_arg_stream_delta:4",
      "tool_arg_stream_start:5",
      "tool_arg_stream_delta:5",
      "tool_approval_request:2",
      "tool_start:3",
      "tool_start:1",
      "subagent_start:4",
      "tool_end:1",
      "tool_arg_stream_start:c~c200d56b.1.0",
      "tool_arg_stream_delta:c~c200d56b.1.0",
      "tool_start:c~c200d56b.1.0",
      "tool_end:5",
      "run_suspended",
      "run_resumed",
      "tool_end:3",
      "run_suspended",
      "run_resumed",
      "tool_start:2",
      "tool_end:2",
      "tool_end:c~c200d56b.1.0",
      "step_committed",
      "tool_arg_stream_start:f~c200d56b.2.0",
      "tool_arg_stream_delta:f~c200d56b.2.0",
      "tool_start:f~c200d56b.2.0",
      "tool_end:f~c200d56b.2.0",
      "step_committed",
      "subagent_end:4",
      "tool_end:4",
      "state_patch",
      "step_committed",
      "text_delta",
      "step_committed",
      "output",
      "run_completed",
    ]
  `);
});
