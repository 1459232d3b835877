import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  type AgentConfig,
  type Durability,
  type JsonValue,
  type Tool,
  type ToolContext,
} from '@helix-agents/core';
import type { ToolFacts } from '../history/types.ts';
import { countingSchema, objectSchema, textSchema } from './schemas.ts';

/** The agents every schedule runs: each kind of tool and call at the root, and people are asked at three depths below it. */
export interface AgentTree {
  readonly root: AgentConfig;
}

export const MAX_STEPS = 5;
export const CLIENT_TIMEOUT_MS = 60_000;
export const HELPER_TIMEOUT_MS = 40_000;

export const TOOL_FACTS: Readonly<Record<string, ToolFacts>> = {
  note: { kind: 'server', execution: 'retry' },
  put: { kind: 'server', execution: 'retry' },
  charge: { kind: 'server', execution: 'once' },
  send: { kind: 'gated', execution: 'once' },
  wire: { kind: 'gated', execution: 'retry' },
  ask: { kind: 'client', execution: 'retry' },
  confirm: { kind: 'client', execution: 'retry' },
  conclude: { kind: 'finish', execution: 'retry' },
};

/** What a tool's own code does in this process: counts itself, takes its time, then answers. */
export type Perform = (toolName: string, input: Input, context: ToolContext) => Promise<JsonValue>;

interface Input {
  readonly text: string;
  readonly amount: number;
  readonly parses: number;
}

interface State {
  notes: string[];
  last: string;
}

export function agentTree(perform: Perform, durability: Durability): AgentTree {
  const input = countingSchema<Omit<Input, 'parses'>>({ text: 'string', amount: 'number' });
  const server = (name: string, change?: (state: State, context: ToolContext) => void): Tool =>
    defineTool({
      name,
      inputSchema: input,
      ...(TOOL_FACTS[name]?.execution === 'once' ? { execution: 'once' as const } : {}),
      ...(name === 'send' ? { requireApproval: true } : {}),
      ...(name === 'wire'
        ? {
            execution: 'retry' as const,
            requireApproval: ({ amount }: Input) => amount >= WIRE_LIMIT,
          }
        : {}),
      ...(name === 'conclude' ? { finishWith: true } : {}),
      execute: async (given: Input, context: ToolContext) => {
        const value = await perform(name, given, context);
        if (change) context.updateState<State>((state) => change(state, context));
        return value;
      },
    });
  const client = (name: string, clientToolTimeoutMs: number | 'never'): Tool =>
    defineTool({
      name,
      inputSchema: input,
      outputSchema: textSchema(),
      execute: 'client',
      clientToolTimeoutMs,
    });
  const note = server('note', (state, { toolCallId }) => void state.notes.push(toolCallId));
  const put = server('put', (state, { toolCallId }) => void (state.last = toolCallId));
  const common = {
    llmConfig: { model: 'scripted', maxRetries: 1 },
    stateSchema: objectSchema<State>({ notes: 'strings', last: 'string' }, { notes: [], last: '' }),
    maxSteps: MAX_STEPS,
    durability,
  };
  const outputSchema = objectSchema<{ said: string }>({ said: 'string' });
  const topic = objectSchema<Input>({ text: 'string', amount: 'number' });
  const tip = defineAgent({
    ...common,
    name: 'tip',
    systemPrompt: 'tip',
    outputSchema,
    tools: [note, client('ask', CLIENT_TIMEOUT_MS), server('send')],
  });
  const leaf = defineAgent({
    ...common,
    name: 'leaf',
    systemPrompt: 'leaf',
    outputSchema,
    tools: [note, client('ask', CLIENT_TIMEOUT_MS), createSubAgentTool(tip, topic)],
  });
  const worker = defineAgent({
    ...common,
    name: 'worker',
    systemPrompt: 'worker',
    outputSchema,
    tools: [
      note,
      client('ask', CLIENT_TIMEOUT_MS),
      server('send'),
      createSubAgentTool(leaf, topic),
    ],
  });
  const helper = defineAgent({
    ...common,
    name: 'helper',
    systemPrompt: 'helper',
    outputSchema,
    tools: [note, put, server('charge')],
  });
  const root = defineAgent({
    ...common,
    name: 'root',
    systemPrompt: 'root',
    tools: [
      note,
      put,
      server('charge'),
      server('send'),
      server('wire'),
      client('ask', CLIENT_TIMEOUT_MS),
      client('confirm', 'never'),
      server('conclude'),
      createSubAgentTool(worker, topic),
      createSubAgentTool(helper, topic, { timeoutMs: HELPER_TIMEOUT_MS }),
    ],
  });
  return { root };
}

export const WIRE_LIMIT = 50;
