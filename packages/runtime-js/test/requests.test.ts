// If this fails: a run asks its stores again for what it has just read or written, and each such question is a round trip.
import {
  AgentRegistry,
  defineAgent,
  defineTool,
  functionModel,
  HelixError,
  type AgentConfig,
  type AgentHooks,
  type AgentRegistryLike,
  type JsonValue,
} from '@helix-agents/core';
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

function process(
  database: MemoryDatabase,
  asked: string[],
  hooks: AgentHooks = {},
  streams: MemoryDatabase = database,
): JSAgentExecutor {
  const { sessions, index } = new InMemoryStateStore({ database });
  const agentRegistry = new AgentRegistry();
  agentRegistry.register(agent);
  return new JSAgentExecutor(
    { sessions: watched(sessions, asked), index },
    watched(new InMemoryStreamManager({ database: streams }), asked),
    model,
    { agentRegistry, hooks },
  );
}

/** What a process asks for that answers a suspended session, resumes and completes it. */
async function completed(
  database: MemoryDatabase,
  answer: { readonly approved: true } | { readonly result: number },
  hooks: AgentHooks = {},
  streams: MemoryDatabase = database,
): Promise<string> {
  const asked: string[] = [];
  const executor = process(database, asked, hooks, streams);
  const call = { sessionId: 's', toolCallId: 'call' };
  await executor.submitToolResult(
    'approved' in answer
      ? { kind: 'approval-response', ...call, ...answer }
      : { kind: 'client-tool-result', ...call, ...answer },
  );
  const result = await (await executor.resume('s')).result();
  expect(result).toEqual({ status: 'completed', output: 'done' });
  return requests(asked);
}

async function suspended(
  tool: string,
  streams?: MemoryDatabase,
): Promise<{ database: MemoryDatabase; asked: string[] }> {
  const database = new MemoryDatabase();
  const asked: string[] = [];
  const { status } = await (
    await process(database, asked, {}, streams).execute(agent, tool, { sessionId: 's' })
  ).result();
  expect(status).toBe('suspended_client_tool');
  return { database, asked };
}

it('store requests: a turn that suspends, and an approval that completes it, read nothing twice', async () => {
  const { database, asked } = await suspended('refund');
  // The claim, the plan with its question, the suspension.
  expect(requests(asked)).toEqual('commit commit commit getStreamInfo readStep wake');
  // The claim, the start of the tool, its step with the result, the last step.
  expect(await completed(database, { approved: true })).toEqual(
    'answerCall commit commit commit commit getStreamInfo purgeCalls readMessages readStep wake',
  );
});

it('store requests: execute looks for no session where it makes up the id, and leaves one alone that has it', async () => {
  const { database, asked } = await suspended('refund');
  asked.length = 0;
  const { status } = await (await process(database, asked).execute(agent, 'refund')).result();
  expect(status).toBe('suspended_client_tool');
  expect(requests(asked)).toEqual('commit commit commit wake');

  const ids = ['owner', 'message', 's'];
  const { sessions, index } = new InMemoryStateStore({ database });
  const executor = new JSAgentExecutor(
    { sessions, index },
    new InMemoryStreamManager({ database }),
    model,
    { newId: () => ids.shift() ?? crypto.randomUUID() },
  );
  const handle = await executor.execute(agent, 'refund');
  expect(ids).toEqual([]);
  expect(handle.sessionId).not.toBe('s');
  expect(await sessions.readRuns({ rootId: 's', sessionId: 's' })).toHaveLength(1);
  await handle.result();
});

it('store requests: streams of another database are opened and closed by themselves', async () => {
  const streams = new MemoryDatabase();
  const { database, asked } = await suspended('refund', streams);
  expect(requests(asked)).toEqual(
    'appendAndClose commit commit commit getStreamInfo openStream readStep',
  );
  expect(await completed(database, { approved: true }, {}, streams)).toEqual(
    'answerCall appendAndClose commit commit commit commit getStreamInfo openStream purgeCalls readMessages readStep',
  );
});

it('store requests: an answer that completes a turn reads nothing twice', async () => {
  const { database } = await suspended('pick');
  // The claim, the step that takes the answer in, the last step.
  expect(await completed(database, { result: 1 })).toEqual(
    'answerCall commit commit commit getStreamInfo purgeCalls readMessages readStep wake',
  );
});

it('store requests: an answer reads its call first only where a tool may validate it', async () => {
  const rating = defineTool({
    name: 'pick',
    description: 'Asks the page.',
    inputSchema: z.object({}),
    outputSchema: z.number(),
    execute: 'client',
  });
  const careful: AgentConfig = { ...agent, tools: [rating] };
  const answered = async (agentRegistry: AgentRegistryLike, result: JsonValue): Promise<string> => {
    const { database } = await suspended('pick');
    const asked: string[] = [];
    const { sessions, index } = new InMemoryStateStore({ database });
    const executor = new JSAgentExecutor(
      { sessions: watched(sessions, asked), index },
      new InMemoryStreamManager({ database }),
      model,
      { agentRegistry },
    );
    const call = { sessionId: 's', toolCallId: 'call' };
    const submitted = executor.submitToolResult({ kind: 'client-tool-result', ...call, result });
    const outcome = await submitted.then(
      ({ status }) => status,
      (error: unknown) => HelixError.isInstance(error) && error.code,
    );
    return `${outcome}: ${requests(asked)}`;
  };
  const made = new AgentRegistry();
  made.registerFactory('support', () => careful);
  expect(await answered({ support: agent }, 'x')).toBe('accepted: answerCall');
  expect(await answered({}, 'x')).toBe('accepted: answerCall');
  expect(await answered({ support: careful }, 1)).toBe('accepted: answerCall readCalls');
  for (const registry of [{ support: careful }, () => careful, made]) {
    expect(await answered(registry, 'x')).toBe('INVALID_RESULT: readCalls');
  }
});

it('submitToolResult refuses a result for a call that waits for an approval, and leaves it open', async () => {
  const { database, asked } = await suspended('refund');
  const call = { sessionId: 's', toolCallId: 'call' };
  const submitted = process(database, asked).submitToolResult({
    kind: 'client-tool-result',
    ...call,
    result: 1,
  });
  await expect(submitted).rejects.toThrow(/waits for an approval-response/);
  expect(await completed(database, { approved: true })).toContain('answerCall');
});
