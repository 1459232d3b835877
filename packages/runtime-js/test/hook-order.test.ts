import {
  defineAgent,
  defineTool,
  functionModel,
  HOOK_TABLE,
  type AgentHooks,
  type HookName,
  type SubmitToolResult,
} from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { manualClock } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

const SESSION = 'session';

type Answer =
  | { readonly kind: 'client-tool-result'; readonly result: string }
  | { readonly kind: 'client-tool-result'; readonly error: string }
  | { readonly kind: 'approval-response'; readonly approved: boolean };

const agent = defineAgent({
  name: 'agent',
  systemPrompt: '',
  stateSchema: z.object({ sent: z.number().default(0) }),
  tools: [
    defineTool({
      name: 'send',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: (_, context) => {
        context.updateState<{ sent: number }>((state) => {
          state.sent += 1;
        });
        return 'sent';
      },
    }),
    defineTool({ name: 'locate', inputSchema: z.object({}), execute: 'client' }),
  ],
  llmConfig: { model: 'm' },
});

/** Hooks that fire when a call of `toolName` is answered and the session resumed, up to the next model call. */
async function hooksAfter(
  toolName: string,
  answer: Answer | 'deadline' | 'cancel' | 'nothing',
): Promise<{ before: string[]; after: string[] }> {
  const fired: string[] = [];
  const clock = manualClock();
  const executor = new JSAgentExecutor({
    stateStore: new InMemoryStateStore(),
    streamManager: new InMemoryStreamManager(),
    clock,
    hooks: recording(fired),
    llmAdapter: functionModel(({ messages }) =>
      messages.some((message) => message.role === 'tool')
        ? { type: 'text', content: 'done', shouldStop: true }
        : { type: 'tool_calls', toolCalls: [{ id: 'call', name: toolName, arguments: {} }] },
    ),
  });
  const handle = await executor.execute(agent, 'go', { sessionId: SESSION });
  await handle.result();
  const before = fired.splice(0);
  const call = { sessionId: SESSION, toolCallId: 'call' };
  if (answer === 'deadline') clock.set(clock.now() + 300_001);
  else if (answer === 'cancel') await executor.cancelOpenCall(call);
  else if (answer !== 'nothing')
    await executor.submitToolResult({ ...call, ...answer } as SubmitToolResult);
  const resumed = await executor.resume(SESSION);
  await resumed.result();
  const next = fired.indexOf('beforeLLMCall');
  return { before, after: next < 0 ? fired : fired.slice(0, next) };
}

function recording(fired: string[]): AgentHooks {
  const names = Object.keys(HOOK_TABLE) as HookName[];
  return Object.fromEntries(
    names.map((name) => [
      name,
      (payload: object) => {
        const role = 'message' in payload ? (payload.message as { role: string }).role : null;
        fired.push(role === null ? name : `${name} ${role}`);
      },
    ]),
  );
}

const toolEnds = ['onMessage tool', 'afterTool', 'onCallSettled'];

it('hooks up to a suspension fire in one order', async () => {
  const { before } = await hooksAfter('send', 'nothing');
  expect(before).toEqual([
    'onAgentStart',
    'beforeLLMCall',
    'afterLLMCall',
    'onMessage assistant',
    'onAgentSuspended',
    'onRunEnded',
  ]);
});

it.for<[string, Parameters<typeof hooksAfter>, string[]]>([
  [
    'approved',
    ['send', { kind: 'approval-response', approved: true }],
    ['onAgentResumed', 'beforeTool', 'onStateChange', ...toolEnds],
  ],
  [
    'denied',
    ['send', { kind: 'approval-response', approved: false }],
    ['onAgentResumed', 'onMessage tool', 'onCallSettled'],
  ],
  [
    'a client result',
    ['locate', { kind: 'client-tool-result', result: 'here' }],
    ['onAgentResumed', ...toolEnds],
  ],
  [
    'an error',
    ['locate', { kind: 'client-tool-result', error: 'lost' }],
    ['onAgentResumed', ...toolEnds],
  ],
  ['expired', ['locate', 'deadline'], ['onAgentResumed', ...toolEnds]],
  ['cancelled', ['send', 'cancel'], ['onAgentResumed', ...toolEnds]],
  ['not answered', ['send', 'nothing'], ['onAgentResumed', 'onAgentSuspended', 'onRunEnded']],
])('fires hooks after a call was %s in one order', async ([, given, expected]) => {
  const { after } = await hooksAfter(...given);
  expect(after).toEqual(expected);
});
