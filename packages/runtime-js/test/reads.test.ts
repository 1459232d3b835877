// If this fails: what a wave of children, an abort or a superseding message reads grows with the square of the children or
// with the length of the session again.
import {
  AgentRegistry,
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type StepResult,
} from '@helix-agents/core';
import type { SessionRef, SessionStore } from '@helix-agents/core/store';
import {
  createMemorySessionStore,
  InMemoryStateStore,
  InMemoryStreamManager,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

/** Names of the methods, with the size of what they returned as JSON. */
type Reads = { readonly method: string; bytes: number }[];

/** The same object; calls of its methods that begin with `read` are noted. */
function noted<T extends object>(object: T, reads: Reads): T {
  return new Proxy(object, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        const method = String(property);
        if (!method.startsWith('read')) return result;
        const read = { method, bytes: 0 };
        reads.push(read);
        return (result as Promise<unknown>).then((rows) => {
          read.bytes = JSON.stringify(rows).length;
          return rows;
        });
      };
    },
  });
}

const pick = defineTool({
  name: 'pick',
  description: 'Asks the page.',
  inputSchema: z.object({}),
  execute: 'client',
});

const common = { systemPrompt: 'You help.', llmConfig: { model: 'none' } };
const child = defineAgent({
  ...common,
  name: 'child',
  tools: [pick],
  outputSchema: z.object({ said: z.string() }),
});
const parent = defineAgent({
  ...common,
  name: 'parent',
  tools: [createSubAgentTool(child, z.object({ n: z.number() }))],
});

const done: StepResult = { type: 'text', content: 'done', shouldStop: true };
const output: StepResult = { type: 'structured_output', output: { said: 'here' } };

/** Reads of session stores while `children` of one step, each with a store of its own, are run to their end. */
async function readsOfWave(children: number, asks: boolean): Promise<number> {
  const reads: Reads = [];
  const stores = new Map<string, SessionStore>();
  const of = ({ sessionId }: SessionRef): SessionStore => {
    const store = stores.get(sessionId) ?? noted(emptyStore(), reads);
    stores.set(sessionId, store);
    return store;
  };
  const model = functionModel(({ agentType, messages }) => {
    const isFirst = !messages.some(({ role }) => role === 'tool');
    if (agentType === 'child')
      return asks && isFirst
        ? { type: 'tool_calls', toolCalls: [{ id: 'pick', name: 'pick', arguments: {} }] }
        : output;
    if (!isFirst) return done;
    const toolCalls = Array.from({ length: children }, (_, n) => ({
      id: `call-${n}`,
      name: 'subagent__child',
      arguments: { n },
    }));
    return { type: 'tool_calls', toolCalls };
  });
  const root = { rootId: 's', sessionId: 's' };
  const executor = new JSAgentExecutor({
    stateStore: { sessions: of(root), index: emptyStore() },
    streamManager: new InMemoryStreamManager(),
    llmAdapter: model,
    agentRegistry: registryOf(parent),
    seams: { databases: { of }, shareMemory: false },
  });
  let result = await (await executor.execute(parent, 'go', { sessionId: 's' })).result();
  if (asks) {
    expect(result.status).toBe('suspended_awaiting_children');
    for (const { toolCallId } of await of(root).readCalls('s'))
      await executor.submitToolResult({
        kind: 'client-tool-result',
        sessionId: 's',
        toolCallId,
        result: 'red',
      });
    result = await (await executor.resume(parent, 's')).result();
  }
  expect(result).toMatchObject({ status: 'completed', output: 'done' });
  return reads.length;
}

function emptyStore(): ReturnType<typeof createMemorySessionStore> {
  return createMemorySessionStore(new MemoryDatabase());
}

function registryOf(agent: AgentConfig): AgentRegistry {
  const registry = new AgentRegistry();
  registry.register(agent);
  return registry;
}

for (const asks of [false, true]) {
  const what = asks ? 'each asks and is answered' : 'all run to their end';
  it(`a wave of children apart reads a constant number of times per child: ${what}`, async () => {
    const [four, eight, sixteen] = [
      await readsOfWave(4, asks),
      await readsOfWave(8, asks),
      await readsOfWave(16, asks),
    ];
    const perChild = (eight - four) / 4;
    expect((sixteen - eight) / 8).toBe(perChild);
    expect(perChild).toBeLessThanOrEqual(asks ? 34 : 14);
  });
}

const note = defineTool({
  name: 'note',
  description: 'Notes something.',
  inputSchema: z.object({}),
  execute: async () => 'noted',
});

const STEPS = 300;
/** Every checkpoint and every session row holds it. */
const STATE = 'x'.repeat(10_000);

const worker = defineAgent({
  ...common,
  name: 'worker',
  tools: [note, pick],
  maxSteps: STEPS + 10,
  durability: 'step',
  stateSchema: z.object({ text: z.string().default(STATE) }),
});

/** A session that waits for a person after many steps, and an executor of another process. */
async function longSession(): Promise<{ executor: JSAgentExecutor; reads: Reads }> {
  const database = new MemoryDatabase();
  const model = functionModel(({ messages }) => {
    const step = messages.filter(({ role }) => role === 'assistant').length;
    if (step > STEPS) return done;
    const name = step < STEPS ? 'note' : 'pick';
    return { type: 'tool_calls', toolCalls: [{ id: `call-${step}`, name, arguments: {} }] };
  });
  const executorOver = (reads: Reads): JSAgentExecutor => {
    const { sessions, index } = new InMemoryStateStore({ database });
    return new JSAgentExecutor({
      stateStore: { sessions: noted(sessions, reads), index },
      streamManager: noted(new InMemoryStreamManager({ database }), reads),
      llmAdapter: model,
      agentRegistry: registryOf(worker),
    });
  };
  const first = executorOver([]);
  const { status } = await (await first.execute(worker, 'go', { sessionId: 's' })).result();
  expect(status).toBe('suspended_client_tool');
  const reads: Reads = [];
  return { executor: executorOver(reads), reads };
}

/** Small beside what the checkpoints or the messages of the session hold together. */
const FEW_BYTES = 6 * STATE.length;

function bytes(reads: Reads): number {
  return reads.reduce((sum, read) => sum + read.bytes, 0);
}

it('an abort reads the rows of the step and the end of the stream, however long the session is', async () => {
  const { executor, reads } = await longSession();
  expect(await executor.abort('s')).toEqual({ status: 'aborted' });
  expect(reads.map(({ method }) => method).toSorted()).toEqual([
    'readChunks',
    'readReferences',
    'readRuns',
    'readSession',
    'readSession',
    'readStep',
    // After the close: which of what the model said does not stand.
    'readStep',
  ]);
  expect(bytes(reads)).toBeLessThan(FEW_BYTES);
});

it('a superseding message reads the rows of the step, however long the session is', async () => {
  const { executor, reads } = await longSession();
  const handle = await executor.execute(worker, 'something else', {
    sessionId: 's',
    onMessageWhileSuspended: 'supersede',
  });
  expect(await handle.result()).toMatchObject({ status: 'completed' });
  // The run that follows reads the transcript for its model.
  const transcript = reads.filter(({ method }) => method === 'readMessages');
  expect(transcript).toHaveLength(1);
  const others = reads.filter((read) => !transcript.includes(read));
  expect(others.map(({ method }) => method)).not.toContain('readCheckpoints');
  expect(others.length).toBeLessThanOrEqual(6);
  expect(bytes(others)).toBeLessThan(FEW_BYTES);
});
