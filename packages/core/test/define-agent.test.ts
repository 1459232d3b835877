import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentConfig,
  buildEffectiveTools,
  createSubAgentTool,
  defineAgent,
  DefinitionError,
  defineTool,
  FINISH_TOOL_NAME,
  type InferAgentOutput,
  type InferAgentState,
  type Tool,
} from '../src/index.ts';
import { collectAgents } from '../src/define/resolve-agent.ts';
import { toLLMTool } from '../src/define/effective-tools.ts';

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
    ['an llmConfig that is none', { llmConfig: 'gpt' }],
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
    ['an output that is no object', { outputSchema: z.string() }],
    [
      'an output that no model could be shown',
      { outputSchema: { '~standard': { version: 1, vendor: 'own', validate: () => ({}) } } },
    ],
  ])('refuses %s', (_what, options) => {
    expect(() => defineAgent({ ...base, ...options } as never)).toThrow(DefinitionError);
  });

  const client = defineTool({ name: 'ask', inputSchema: z.object({}), execute: 'client' });
  const helper = defineAgent({ ...base, outputSchema: z.object({ answer: z.string() }) });
  const called = createSubAgentTool(helper, z.object({}));

  it.each([
    ['a client tool that got a gate', { ...client, requireApproval: true }],
    ['a client tool that got a limit of server tools', { ...client, timeoutMs: 5 }],
    ['a client tool with no time', { ...client, clientToolTimeoutMs: 0 }],
    ['a gated tool that finishes', { ...tool, requireApproval: true, finishWith: true }],
    ['a server tool that got the wait of client tools', { ...tool, clientToolTimeoutMs: 5 }],
    ['a tool that cannot be executed', { ...tool, execute: undefined }],
    ['a tool without a schema', { ...tool, inputSchema: {} }],
    ['a sub-agent that got a time beside its own', { ...called, timeoutMs: 5 }],
    ['a sub-agent that finishes', { ...called, finishWith: true }],
  ])('refuses %s, however the tool was made', (_what, odd) => {
    const define = (): unknown => defineAgent({ ...base, name: 'boss', tools: [odd as Tool] });
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(`Agent "boss", tool "${odd.name}"`);
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

describe('a tree of agents', () => {
  const outputSchema = z.object({});
  const input = z.object({});
  const child = defineAgent({ ...base, name: 'child', outputSchema });
  const over = (name: string, ...agents: readonly AgentConfig[]): AgentConfig =>
    defineAgent({
      ...base,
      name,
      outputSchema,
      tools: agents.map((each) => createSubAgentTool(each, input) as Tool),
    });

  it('may reach one agent on several ways', () => {
    expect(() => over('root', over('left', child), over('right', child))).not.toThrow();
  });

  it('is refused when two different agents in it have one name', () => {
    const left = over('left', child);
    const right = over('right', { ...child });
    const refused = (): AgentConfig => over('root', left, right);
    expect(refused).toThrow(DefinitionError);
    expect(refused).toThrow('two different agents named "child"; give each a name of its own');
    expect(() => over('child', over('left', child)), 'also above itself').toThrow(DefinitionError);
  });

  it('may go in a circle', () => {
    const tools: Tool[] = [];
    const self = defineAgent({ ...base, name: 'self', outputSchema, tools });
    tools.push(createSubAgentTool(self, input) as Tool);
    expect([...collectAgents(self).keys()]).toEqual(['self']);
    expect(() => over('root', self)).not.toThrow();
  });

  it('has no gate before a sub-agent: nobody would be asked', () => {
    const gated = { requireApproval: true } as object;
    const says = 'put `requireApproval` on the tools inside';
    expect(() => createSubAgentTool(child, input, gated)).toThrow(DefinitionError);
    expect(() => createSubAgentTool(child, input, gated)).toThrow(says);
    const spread = { ...createSubAgentTool(child, input), ...gated } as Tool;
    expect(() => defineAgent({ ...base, tools: [spread] })).toThrow(says);
    expect(() => collectAgents({ ...base, tools: [spread] })).toThrow(says);
  });

  it('has no tool with a gate that says neither yes nor no', () => {
    const odd = { ...tool, requireApproval: 'yes' } as unknown as Tool;
    expect(() => defineAgent({ ...base, tools: [odd] })).toThrow(DefinitionError);
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
