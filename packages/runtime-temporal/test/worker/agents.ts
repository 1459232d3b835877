import { appendFileSync, readFileSync } from 'node:fs';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type FunctionModel,
  type LLMGenerateInput,
  type StepResult,
  type Tool,
} from '@helix-agents/core';
import { z } from 'zod';

/** Called where a process may be held until it is killed. */
export type Hold = (sessionId: string, place: string) => Promise<void>;

const forEver = new Promise<never>(() => {});
const llmConfig = { model: 'scripted' };
const input = z.object({});

/** As many calls of `meet` as have to run at the same time before one of them ends. */
export const MEETING = 12;

/** One agent, whose first message says which of its scripts it plays; each execution of a tool is a line of the ledger. */
export function workAgent(ledger: string, hold: Hold): AgentConfig {
  const standing = (name: string, sessionId: string, signal: AbortSignal): Promise<void> => {
    if (name === 'wait') return forEver;
    return name === 'meet' ? allHaveCome(ledger, signal) : hold(sessionId, `in ${name}`);
  };
  const server = (name: string, extras: object = {}): Tool =>
    defineTool({
      name,
      inputSchema: input,
      ...extras,
      execute: async (_, { sessionId, toolCallId, abortSignal }) => {
        appendFileSync(ledger, `${sessionId} ${name} ${toolCallId} ${process.pid}\n`);
        await Promise.race([standing(name, sessionId, abortSignal), stopped(abortSignal)]);
        return `${name} done`;
      },
    }) as Tool;
  const look = server('look');
  const wait = server('wait');
  const pick = defineTool({ name: 'pick', inputSchema: input, execute: 'client' }) as Tool;
  const child = defineAgent({
    name: 'child',
    systemPrompt: 'You help.',
    llmConfig,
    tools: [look, wait, pick],
    outputSchema: z.object({ said: z.string() }),
  }) as AgentConfig;
  const tools = [
    look,
    server('slow'),
    server('meet'),
    wait,
    server('pay', { requireApproval: true }),
    pick,
    defineTool({
      name: 'hurry',
      inputSchema: input,
      execute: 'client',
      clientToolTimeoutMs: 1,
    }) as Tool,
    createSubAgentTool(child, z.object({ play: z.string() })) as Tool,
  ];
  return defineAgent({ name: 'work', systemPrompt: 'You work.', llmConfig, tools }) as AgentConfig;
}

async function allHaveCome(ledger: string, signal: AbortSignal): Promise<void> {
  const count = (): number => readFileSync(ledger, 'utf8').match(/ meet /g)?.length ?? 0;
  while (count() < MEETING && !signal.aborted) await new Promise((done) => setTimeout(done, 20));
}

function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
}

const say: StepResult = { type: 'text', content: 'done', shouldStop: true };
const call = (...names: readonly string[]): StepResult => ({
  type: 'tool_calls',
  toolCalls: names.map((name, index) => ({
    id: `${name}-${index}`,
    name: name.startsWith('child ') ? 'subagent__child' : name,
    arguments: name.startsWith('child ') ? { play: name.slice('child '.length) } : {},
  })),
});
const finish: StepResult = {
  type: 'tool_calls',
  toolCalls: [{ id: 'end', name: '__finish__', arguments: { said: 'here' } }],
};

/** Some gateways put what a model thought into the ids of its calls. */
function withLongIds(step: StepResult): StepResult {
  if (step.type !== 'tool_calls') return step;
  const longer = (id: string): string => `${id}-${'x'.repeat(3_000)}`;
  return {
    ...step,
    toolCalls: step.toolCalls.map((one) => ({ ...one, id: longer(one.id) })),
  };
}

const SCRIPTS: { readonly [name: string]: readonly StepResult[] } = {
  plain: [call('look'), say],
  long: [...Array<StepResult>(6).fill(call('look')), say],
  parallel: [call('look', 'slow'), say],
  crowd: [call(...Array<string>(400).fill('look')), say],
  wordy: [call('look', 'slow', 'look'), say].map(withLongIds),
  meeting: [call(...Array<string>(MEETING).fill('meet')), say],
  slow: [call('slow'), say],
  wait: [call('wait'), say],
  human: [call('pick'), say],
  late: [call('hurry'), say],
  gated: [call('pay'), say],
  child: [call('child work'), say],
  asking: [call('child ask'), say],
  waiting: [call('child wait'), say],
  work: [call('look'), finish],
  ask: [call('pick'), finish],
};

const TALK_MS = 10 * 60_000;

/** The same answers in every process. `tell` hears when one of them is cut short. */
export function workModel(hold: Hold, tell: (line: string) => void = () => {}): FunctionModel {
  return functionModel(async (given) => {
    const { messages, agentId, agentType, callbacks } = given;
    const answers = messages.filter((message) => message.role === 'assistant').length;
    const first = messages.find((message) => message.role === 'user')?.content ?? '';
    const play = agentType === 'child' ? (JSON.parse(first) as { play: string }).play : first;
    await callbacks.onTextDelta('let me see');
    await hold(agentId, 'in model');
    if (play === 'talk') return talk(given, tell);
    const answer = SCRIPTS[play]?.[answers];
    if (!answer) throw new Error(`there is no answer ${answers + 1} in ${play}`);
    return answer;
  });
}

/** Streams a word every 50 ms for ten minutes. */
async function talk(
  { callbacks, abortSignal, agentId }: LLMGenerateInput,
  tell: (line: string) => void,
): Promise<StepResult> {
  const until = Date.now() + TALK_MS;
  while (Date.now() < until && !abortSignal.aborted) {
    await callbacks.onTextDelta('and ');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (abortSignal.aborted) tell(`cut ${agentId}`);
  abortSignal.throwIfAborted();
  return say;
}
