import { setTimeout as wait } from 'node:timers/promises';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  type AgentConfig,
  type LLMAdapter,
  type LLMGenerateInput,
  type Message,
  type StepResult,
  type Tool,
} from '@helix-agents/core';
import { z } from 'zod';
import { recordExecution } from './ledger.ts';

/** Called at the places where a process can be halted to be killed there. */
export type Reach = (place: string) => void;

interface Surroundings {
  readonly ledger: string;
  readonly reach: Reach;
  /** How long each server tool works. */
  readonly pace?: () => Promise<unknown>;
}

const anything = z.looseObject({});
const notes = z.object({ notes: z.array(z.string()).default([]) });
const llmConfig = { model: 'scripted', maxRetries: 0 };

/** One agent with everything in its first step: server tool, client tool, approval and sub-agent. */
export function mixedAgent(around: Surroundings): AgentConfig {
  const worker = defineAgent({
    name: 'worker',
    systemPrompt: 'worker',
    llmConfig,
    outputSchema: anything,
    tools: [serverTool(around, 'dig')],
  });
  return defineAgent({
    name: 'mixed',
    systemPrompt: 'mixed',
    llmConfig,
    stateSchema: notes,
    tools: [
      serverTool(around, 'look'),
      defineTool({ name: 'pick', inputSchema: anything, execute: 'client' }),
      serverTool(around, 'send', { requireApproval: true }),
      createSubAgentTool(worker, anything),
    ],
  });
}

/** One agent whose child asks a person, twice. */
export function nestedAgent(): AgentConfig {
  const asker = defineAgent({
    name: 'asker',
    systemPrompt: 'asker',
    llmConfig,
    outputSchema: anything,
    tools: [defineTool({ name: 'pick', inputSchema: anything, execute: 'client' })],
  });
  return defineAgent({
    name: 'nested',
    systemPrompt: 'nested',
    llmConfig,
    tools: [createSubAgentTool(asker, anything)],
  });
}

/** One agent with a tool that takes its time. */
export function slowAgent(around: Surroundings, slow: () => Promise<unknown>): AgentConfig {
  return defineAgent({
    name: 'slow',
    systemPrompt: 'slow',
    llmConfig,
    stateSchema: notes,
    tools: [serverTool(around, 'slow', { slow }), serverTool(around, 'quick')],
  });
}

function serverTool(
  { ledger, reach, pace }: Surroundings,
  name: string,
  { slow, ...options }: { slow?: () => Promise<unknown>; requireApproval?: true } = {},
): Tool {
  return defineTool({
    ...options,
    name,
    inputSchema: anything,
    execute: async (input, context) => {
      recordExecution(ledger, name, context.idempotencyKey);
      reach(`${name} executing`);
      await pace?.();
      await slow?.();
      if (context.agentType !== 'worker') {
        context.updateState<{ notes: string[] }>((state) => void state.notes.push(name));
      }
      return { done: name, ...input };
    },
  }) as Tool;
}

/** A model that is a function of the transcript and speaks slowly enough to be cut off. */
export function scriptedModel(reach: Reach): LLMAdapter {
  return {
    async generateStep(input) {
      const answer = nextAnswer(input);
      const text = answer.type === 'text' || answer.type === 'tool_calls' ? answer.content : '';
      for (const word of (text ?? '').split(/(?<= )/).filter((piece) => piece !== '')) {
        await input.callbacks.onTextDelta(word);
        await wait(30, undefined, { signal: input.abortSignal });
        reach('text streamed');
      }
      return answer;
    },
  };
}

function nextAnswer({ agentType, messages }: LLMGenerateInput): StepResult {
  const turn = messages.filter((message) => message.role === 'user').length;
  const step = stepOf(messages);
  const call = (name: string, args = {}): { id: string; name: string; arguments: object } => ({
    id: `c${turn}-${name}`,
    name,
    arguments: args,
  });
  const calls = (content: string, ...toolCalls: ReturnType<typeof call>[]): StepResult =>
    ({ type: 'tool_calls', content, toolCalls }) as StepResult;
  if (agentType === 'worker') {
    return step === 0 ? calls('', call('dig')) : calls('', call('__finish__', { found: 'gold' }));
  }
  if (agentType === 'asker') {
    const ask = { ...call('pick'), id: `pick-${step}` };
    return step < 2 ? calls('', ask) : calls('', call('__finish__', { found: 'red' }));
  }
  if (step > 0) return { type: 'text', content: `turn ${turn} done`, shouldStop: true };
  if (agentType === 'nested') return calls('', call('subagent__asker'));
  return agentType === 'slow'
    ? calls('', call('slow'), call('quick'))
    : calls('let me see', call('look'), call('pick'), call('send'), call('subagent__worker'));
}

function stepOf(messages: readonly Message[]): number {
  const last = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(last + 1).filter((message) => message.role === 'assistant').length;
}
