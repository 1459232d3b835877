import { appendFileSync } from 'node:fs';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type FunctionModel,
  type StepResult,
  type Tool,
} from '@helix-agents/core';
import { z } from 'zod';

/** Called where a process may be held until it is killed. */
export type Hold = (sessionId: string, place: string) => Promise<void>;

const forEver = new Promise<never>(() => {});
const llmConfig = { model: 'scripted' };
const input = z.object({});

/** One agent, whose first message says which of its scripts it plays; each execution of a tool is a line of the ledger. */
export function workAgent(ledger: string, hold: Hold): AgentConfig {
  const server = (name: string, extras: object = {}): Tool =>
    defineTool({
      name,
      inputSchema: input,
      ...extras,
      execute: async (_, { sessionId, toolCallId, abortSignal }) => {
        appendFileSync(ledger, `${sessionId} ${name} ${toolCallId}\n`);
        const place = name === 'wait' ? forEver : hold(sessionId, `in ${name}`);
        await Promise.race([place, stopped(abortSignal)]);
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
    wait,
    server('pay', { requireApproval: true }),
    pick,
    createSubAgentTool(child, z.object({ play: z.string() })) as Tool,
  ];
  return defineAgent({ name: 'work', systemPrompt: 'You work.', llmConfig, tools }) as AgentConfig;
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

const SCRIPTS: { readonly [name: string]: readonly StepResult[] } = {
  plain: [call('look'), say],
  long: [...Array<StepResult>(6).fill(call('look')), say],
  parallel: [call('look', 'slow'), say],
  many: [call(...Array<string>(12).fill('look')), say],
  slow: [call('slow'), say],
  wait: [call('wait'), say],
  human: [call('pick'), say],
  gated: [call('pay'), say],
  child: [call('child work'), say],
  asking: [call('child ask'), say],
  waiting: [call('child wait'), say],
  work: [call('look'), finish],
  ask: [call('pick'), finish],
};

/** The same answers in every process. */
export function workModel(hold: Hold): FunctionModel {
  return functionModel(async ({ messages, agentId, agentType, callbacks }) => {
    const given = messages.filter((message) => message.role === 'assistant').length;
    const first = messages.find((message) => message.role === 'user')?.content ?? '';
    const play = agentType === 'child' ? (JSON.parse(first) as { play: string }).play : first;
    await callbacks.onTextDelta('let me see');
    await hold(agentId, 'in model');
    const answer = SCRIPTS[play]?.[given];
    if (!answer) throw new Error(`there is no answer ${given + 1} in ${play}`);
    return answer;
  });
}
