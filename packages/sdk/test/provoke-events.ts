import { setTimeout as delay } from 'node:timers/promises';
import { faultyStore, type StoreFaultHook } from '@helix-agents/testing';
import { z } from 'zod';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  HelixError,
  InMemoryStateStore,
  InMemoryStreamManager,
  JSAgentExecutor,
  type AgentConfig,
  type Logger,
  type StepResult,
  type StreamManager,
} from '../src/index.ts';

export interface LoggedEvent {
  readonly level: keyof Logger;
  readonly name: string;
  readonly data: object;
}

const LEASE_MS = 40;

/** Sessions that go through all that people, stores, streams and models can do to them; says what was logged. */
export async function provokeEvents(): Promise<readonly LoggedEvent[]> {
  const bench = openBench();
  await askPeople(bench);
  await loseAChild(bench);
  await loseTheStream(bench);
  await dieAndBeFound(bench);
  haveFewStreams(bench);
  return bench.events;
}

interface Bench {
  readonly events: LoggedEvent[];
  /** What is broken at the moment. */
  readonly broken: { store: StoreFaultHook; stream: boolean };
  readonly start: (agents: readonly AgentConfig[]) => JSAgentExecutor;
}

async function askPeople({ start, broken }: Bench): Promise<void> {
  const knowing = start([clerk]);
  const stranger = start([]);
  await (await knowing.execute(clerk, 'go', { sessionId: 's' })).result();
  const submit = (executor: JSAgentExecutor, toolCallId: string): Promise<unknown> =>
    executor
      .submitToolResult({ kind: 'client-tool-result', sessionId: 's', toolCallId, result: 'red' })
      .catch(() => {});
  await submit(knowing, 'nothing');
  await submit(knowing, 'count');
  broken.store = (method) => (method === 'answerCall' ? 'fail-before' : 'pass');
  await submit(knowing, 'pick');
  broken.store = () => 'pass';
  await submit(stranger, 'pick');
  await knowing.cancelOpenCall({ sessionId: 's', toolCallId: 'count' });
  for (const toolCallId of ['undecided', 'unsure'])
    await knowing.cancelOpenCall({ sessionId: 's', toolCallId });
  await delay(5);
  await knowing.sweep();
  await (await knowing.resume('s')).result();
}

async function loseAChild({ start, broken }: Bench): Promise<void> {
  broken.store = (_, plan) =>
    plan?.insert?.sessions?.some((row) => row.sessionId !== row.rootId && !row.closed)
      ? 'fail-before'
      : 'pass';
  await (await start([parent]).execute(parent, 'go', { sessionId: 'p' })).result();
  broken.store = () => 'pass';
}

async function loseTheStream({ start, broken }: Bench): Promise<void> {
  broken.stream = true;
  const executor = start([plain]);
  await (await executor.execute(plain, 'go', { sessionId: 't' })).result();
  await executor.pruneSessions({ olderThan: 0 });
  broken.stream = false;
}

async function dieAndBeFound({ start, broken, events }: Bench): Promise<void> {
  // It can be claimed, and nothing more.
  broken.store = (method, plan) =>
    method === 'commit' && !plan?.insert?.runs ? 'fail-before' : 'pass';
  await start([plain]).execute(plain, 'go', { sessionId: 'u' });
  for (let looks = 0; looks < 100; looks += 1) {
    if (events.some((one) => one.name === 'run.died')) break;
    await delay(50);
  }
  broken.store = () => 'pass';
  await delay(2 * LEASE_MS);
  await start([]).sweep();
}

/** A manager with the four methods that are needed. */
function haveFewStreams({ events }: Bench): void {
  const streams = new InMemoryStreamManager();
  const few: StreamManager = {
    createWriter: (...args) => streams.createWriter(...args),
    createReader: (id) => streams.createReader(id),
    endStream: (...args) => streams.endStream(...args),
    failStream: (...args) => streams.failStream(...args),
  };
  new JSAgentExecutor(new InMemoryStateStore(), few, model, { logger: keptIn(events) });
}

function openBench(): Bench {
  const events: LoggedEvent[] = [];
  const broken: Bench['broken'] = { store: () => 'pass', stream: false };
  const { sessions, index } = new InMemoryStateStore();
  const stateStore = {
    sessions: faultyStore(sessions, (method, plan) => broken.store(method, plan)),
    index,
  };
  const streamManager = new Proxy(new InMemoryStreamManager(), {
    get(target, name) {
      const method = Reflect.get(target, name) as ((...args: unknown[]) => unknown) | undefined;
      if (typeof method !== 'function') return method;
      return broken.stream
        ? () => Promise.reject(new Error('the stream is down'))
        : method.bind(target);
    },
  });
  return {
    events,
    broken,
    start: (agents) =>
      new JSAgentExecutor(stateStore, streamManager, model, {
        logger: keptIn(events),
        leaseMs: LEASE_MS,
        agentRegistry: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
      }),
  };
}

function keptIn(events: LoggedEvent[]): Logger {
  const keep =
    (level: keyof Logger) =>
    (name: string, data: object = {}): void =>
      void events.push({ level, name, data });
  return { info: keep('info'), warn: keep('warn'), error: keep('error'), debug: keep('debug') };
}

const inputSchema = z.object({});

const clerk = defineAgent({
  name: 'clerk',
  systemPrompt: 'You file things.',
  llmConfig: { model: 'scripted' },
  tools: [
    defineTool({ name: 'pick', inputSchema, outputSchema: z.string(), execute: 'client' }),
    defineTool({ name: 'count', inputSchema, outputSchema: z.number(), execute: 'client' }),
    defineTool({ name: 'look', inputSchema, execute: 'client', clientToolTimeoutMs: 1 }),
    defineTool({
      name: 'unsure',
      inputSchema,
      requireApproval: () => {
        throw new Error('no rule for this');
      },
      execute: () => 'done',
    }),
    defineTool({
      name: 'undecided',
      inputSchema,
      requireApproval: () => 'perhaps' as unknown as boolean,
      execute: () => 'done',
    }),
  ],
  hooks: {
    onAgentStart: () => {
      throw new Error('no start');
    },
  },
});

const plain = defineAgent({
  name: 'plain',
  systemPrompt: 'You answer.',
  llmConfig: { model: 'scripted' },
});

const child = defineAgent({
  name: 'child',
  systemPrompt: 'You help.',
  outputSchema: z.object({}),
  llmConfig: { model: 'scripted' },
});

const parent = defineAgent({
  name: 'parent',
  systemPrompt: 'You ask for help.',
  tools: [createSubAgentTool(child, inputSchema)],
  llmConfig: { model: 'scripted' },
});

let refused = false;
const model = functionModel(({ agentType, messages }): StepResult => {
  if (!refused) {
    refused = true;
    const busy = new HelixError({ code: 'provider_overloaded', message: 'busy' });
    throw Object.assign(busy, { retryAfterMs: 0 });
  }
  const first = !messages.some((message) => message.role === 'tool');
  if (first && agentType === 'clerk') return call('pick', 'count', 'look', 'unsure', 'undecided');
  if (first && agentType === 'parent') return call('subagent__child');
  return { type: 'text', content: 'done', shouldStop: true };
});

function call(...names: readonly string[]): StepResult {
  return {
    type: 'tool_calls',
    toolCalls: names.map((name) => ({ id: name, name, arguments: {} })),
  };
}
