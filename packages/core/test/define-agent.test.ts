import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentConfig,
  buildEffectiveTools,
  collectAgents,
  createSubAgentTool,
  defineAgent,
  DefinitionError,
  defineTool,
  FINISH_TOOL_NAME,
  type InferAgentOutput,
  type InferAgentState,
  toLLMTool,
} from '../src/index.ts';

const base = { name: 'helper', systemPrompt: 'Help.', llmConfig: { model: 'm' } };
const tool = defineTool({ name: 'look', inputSchema: z.object({}), execute: () => null });

describe('defineAgent', () => {
  it('types the state in the system prompt', () => {
    const agent = defineAgent({
      ...base,
      stateSchema: z.object({ count: z.number().default(0) }),
      outputSchema: z.object({ answer: z.string() }),
      systemPrompt: (state) => {
        expectTypeOf(state).toEqualTypeOf<{ count: number }>();
        return `Count: ${state.count}`;
      },
      tools: [tool],
    });
    expectTypeOf<InferAgentState<typeof agent>>().toEqualTypeOf<{ count: number }>();
    expectTypeOf<InferAgentOutput<typeof agent>>().toEqualTypeOf<{ answer: string }>();
    const any: AgentConfig = agent;
    expect(any.name).toBe('helper');
  });

  it('leaves the definition as it is', () => {
    const definition = { ...base, maxSteps: 3, clientToolTimeoutMs: 'never' as const };
    expect(defineAgent(definition)).toEqual(definition);
  });

  it.each([
    ['an empty name', { name: ' ' }],
    ['no system prompt', { systemPrompt: undefined }],
    ['no llmConfig', { llmConfig: undefined }],
    ['maxSteps 0', { maxSteps: 0 }],
    ['maxSteps 1.5', { maxSteps: 1.5 }],
    ['a client tool timeout of 0', { clientToolTimeoutMs: 0 }],
    ['an endless approval timeout', { approvalTimeoutMs: Number.POSITIVE_INFINITY }],
    ['a negative retention', { completedTombstoneRetentionMs: -1 }],
    ['two tools of one name', { tools: [tool, tool] }],
    ['a state field without a default', { stateSchema: z.object({ a: z.string() }) }],
    ['a state that is no object', { stateSchema: z.array(z.string()).catch([]) }],
    ['a state schema that is none', { stateSchema: {} }],
    ['an output schema that is none', { outputSchema: 'text' }],
  ])('refuses %s', (_what, options) => {
    expect(() => defineAgent({ ...base, ...options } as never)).toThrow(DefinitionError);
  });

  it('names the state field that lacks a default', () => {
    const stateSchema = z.object({ ok: z.number().default(1), missing: z.string() });
    expect(() => defineAgent({ ...base, stateSchema })).toThrow('missing');
  });

  it('takes a state schema that can only answer later', () => {
    const stateSchema = z.object({ a: z.string().default('') }).refine(async () => true);
    expect(defineAgent({ ...base, stateSchema }).stateSchema).toBe(stateSchema);
  });
});

describe('buildEffectiveTools', () => {
  it('adds a finish tool that takes the output', () => {
    const outputSchema = z.object({ answer: z.string() });
    const agent = defineAgent({ ...base, tools: [tool], outputSchema });
    const tools = buildEffectiveTools(agent);
    expect(tools.map((each) => each.name)).toEqual(['look', FINISH_TOOL_NAME]);
    expect(tools[1]).toMatchObject({ finishWith: true, inputSchema: outputSchema });
    expect(toLLMTool(tools[1]!)).toMatchObject({
      name: '__finish__',
      inputSchema: { type: 'object', required: ['answer'] },
    });
  });

  it('adds nothing without an output schema', () => {
    expect(buildEffectiveTools(defineAgent({ ...base, tools: [tool] }))).toEqual([tool]);
    expect(buildEffectiveTools(defineAgent(base))).toEqual([]);
  });

  it('asks for constrained output where the agent does', () => {
    const agent = defineAgent({
      ...base,
      outputSchema: z.object({}),
      llmConfig: { model: 'm', strictOutput: true },
    });
    expect(toLLMTool(buildEffectiveTools(agent)[0]!).strict).toBe(true);
  });
});

describe('collectAgents', () => {
  it('finds agents at any depth once', () => {
    const outputSchema = z.object({});
    const leaf = defineAgent({ ...base, name: 'leaf', outputSchema });
    const call = createSubAgentTool(leaf, z.object({}));
    const middle = defineAgent({ ...base, name: 'middle', outputSchema, tools: [call] });
    const root = defineAgent({
      ...base,
      name: 'root',
      tools: [createSubAgentTool(middle, z.object({})), call],
    });
    expect([...collectAgents(root).keys()].toSorted()).toEqual(['leaf', 'middle', 'root']);
  });
});
