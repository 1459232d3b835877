import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  createHelix,
  defineAgent,
  defineTool,
  functionModel,
  type AgentExecutor,
  type Helix,
  type JSAgentExecutor,
  type SubmitToolResult,
  type SubmitToolResultInput,
} from '../src/index.ts';

interface Edits {
  applied: number;
  newVersionId?: string;
}

const tools = ['a', 'b', 'c'].map((name) =>
  defineTool({ name, inputSchema: z.object({}), execute: 'client' }),
);
const pay = defineTool({
  name: 'pay',
  inputSchema: z.object({ amount: z.number().default(1) }),
  requireApproval: true,
  execute: ({ amount }) => amount,
});
const asking = defineAgent({
  name: 'asking',
  systemPrompt: 'You ask.',
  tools: [...tools, pay],
  llmConfig: { model: 'scripted' },
});
const model = functionModel(() => ({
  type: 'tool_calls',
  toolCalls: ['a', 'b', 'c', 'pay'].map((name) => ({ id: name, name, arguments: {} })),
}));

it('submitToolResult takes a submission without a kind, and a result of any type', async () => {
  const helix = createHelix({ model, database: ':memory:', recoverEveryMs: false });
  const sessionId = 's';
  await (await helix.run(asking, 'Ask', { sessionId })).result();
  const executor: AgentExecutor = helix.executor;
  const edits: Edits = { applied: 3 };
  const toll: { amount: number } = { amount: 7 };
  const outcomes = [
    await executor.submitToolResult?.({ sessionId, toolCallId: 'a', error: 'given up' }),
    await helix.submitToolResult({ sessionId, toolCallId: 'b', result: 3 }),
    await helix.executor.submitToolResult({
      kind: 'client-tool-result',
      sessionId,
      toolCallId: 'c',
      result: edits,
    }),
    await helix.submitToolResult({
      kind: 'approval-response',
      sessionId,
      toolCallId: 'pay',
      approvalId: undefined,
      approved: true,
      input: toll,
    }),
  ];
  await helix.close();
  expect(outcomes).toEqual(outcomes.map(() => ({ status: 'accepted' })));
});

it('submitToolResult types a submission as the schema reads it', () => {
  expectTypeOf<SubmitToolResult>().toExtend<SubmitToolResultInput>();
  type Given<Method extends (...args: never) => unknown> = Parameters<Method>[0];
  expectTypeOf<Given<Helix['submitToolResult']>>().toEqualTypeOf<SubmitToolResultInput>();
  expectTypeOf<Given<JSAgentExecutor['submitToolResult']>>().toEqualTypeOf<SubmitToolResultInput>();
  const call = { sessionId: 's', toolCallId: 'a' };
  expectTypeOf<typeof call & { approved: boolean }>().not.toExtend<SubmitToolResultInput>();
  expectTypeOf<typeof call>().not.toExtend<SubmitToolResultInput>();
});
