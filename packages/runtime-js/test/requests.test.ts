// If this fails: a run asks its stores again for what it has just read or written, and each such question is a round trip.
import { AgentRegistry, defineAgent, defineTool, functionModel } from '@helix-agents/core';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

const refund = defineTool({
  name: 'refund',
  description: 'Pays back.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: async () => 'paid',
});

const pick = defineTool({
  name: 'pick',
  description: 'Asks the page.',
  inputSchema: z.object({}),
  execute: 'client',
});

const agent = defineAgent({
  name: 'support',
  systemPrompt: 'You help.',
  tools: [refund, pick],
  llmConfig: { model: 'none' },
  durability: 'step',
});

/** Calls the tool that the user names. */
const model = functionModel(({ messages }) => {
  if (messages.some((message) => message.role === 'tool'))
    return { type: 'text', content: 'done', shouldStop: true };
  const asked = messages.find((message) => message.role === 'user');
  const toolCalls = [{ id: 'call', name: String(asked?.content), arguments: {} }];
  return { type: 'tool_calls', toolCalls };
});

/** The same object; the names of the methods that are called are kept. */
function watched<T extends object>(object: T, asked: string[]): T {
  return new Proxy(object, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        asked.push(String(property));
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

/** Without what is asked by time: chunks leave and the lease is looked at when it is due. */
function requests(asked: readonly string[]): string {
  return asked
    .filter((method) => method !== 'append' && method !== 'renewLease')
    .toSorted()
    .join(' ');
}

function process(database: MemoryDatabase, asked: string[]): JSAgentExecutor {
  const { sessions, index } = new InMemoryStateStore({ database });
  const agentRegistry = new AgentRegistry();
  agentRegistry.register(agent);
  return new JSAgentExecutor(
    { sessions: watched(sessions, asked), index },
    watched(new InMemoryStreamManager({ database }), asked),
    model,
    { agentRegistry },
  );
}

it('is asked of the stores once: a turn that suspends, and an approval that completes it', async () => {
  const database = new MemoryDatabase();
  const begun: string[] = [];
  const first = process(database, begun);
  await (await first.execute(agent, 'refund', { sessionId: 's' })).result();
  // The claim, the plan with its question, the suspension.
  expect(requests(begun)).toEqual(
    'appendAndClose commit commit commit getStreamInfo openStream readStep',
  );

  const resumed: string[] = [];
  const second = process(database, resumed);
  await second.submitToolResult({
    kind: 'approval-response',
    sessionId: 's',
    toolCallId: 'call',
    approved: true,
  });
  const result = await (await second.resume('s')).result();
  expect(result).toEqual({ status: 'completed', output: 'done' });
  // The claim with the start of the tool, its step with the result, the last step.
  expect(requests(resumed)).toEqual(
    'answerCall appendAndClose commit commit commit getStreamInfo openStream readCalls readMessages readStep',
  );
});

it('is asked of the stores once: an answer that completes a turn', async () => {
  const database = new MemoryDatabase();
  await (await process(database, []).execute(agent, 'pick', { sessionId: 's' })).result();
  const resumed: string[] = [];
  const second = process(database, resumed);
  await second.submitToolResult({
    kind: 'client-tool-result',
    sessionId: 's',
    toolCallId: 'call',
    result: 1,
  });
  const result = await (await second.resume('s')).result();
  expect(result).toEqual({ status: 'completed', output: 'done' });
  // The claim takes the answer in; then the last step.
  expect(requests(resumed)).toEqual(
    'answerCall appendAndClose commit commit getStreamInfo openStream readCalls readMessages readStep',
  );
});
