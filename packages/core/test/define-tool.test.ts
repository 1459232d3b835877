import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { z as z4 } from 'zod/v4';
import {
  createSubAgentTool,
  defineAgent,
  DefinitionError,
  defineTool,
  type InferToolInput,
  type InferToolOutput,
  isSubAgentTool,
  RESERVED_TOOL_NAME_PREFIXES,
  RESERVED_TOOL_NAMES,
  SUBAGENT_TOOL_PREFIX,
  type Tool,
  type ToolContext,
} from '../src/index.ts';

const inputSchema = z.object({ city: z.string(), days: z.number().default(1) });
const execute = (): string => 'done';

describe('defineTool', () => {
  it('infers the input of execute and requireApproval from inputSchema', () => {
    const tool = defineTool({
      name: 'forecast',
      inputSchema,
      outputSchema: z.object({ text: z.string() }),
      requireApproval: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
        return input.days > 3;
      },
      execute: async (input, context) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        return { text: input.city };
      },
    });
    expectTypeOf<InferToolInput<typeof tool>>().toEqualTypeOf<{ city: string; days: number }>();
    expectTypeOf<InferToolOutput<typeof tool>>().toEqualTypeOf<{ text: string }>();
    expect(tool.inputSchema).toBe(inputSchema);
  });

  it('takes parameters as another word for inputSchema', () => {
    const tool = defineTool({
      name: 'forecast',
      parameters: z4.object({ city: z4.string() }),
      requireApproval: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string }>();
        return false;
      },
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string }>();
        return input.city;
      },
    });
    expect(tool).not.toHaveProperty('parameters');
    expect(tool.inputSchema).toBeDefined();
  });

  it('checks what execute returns against outputSchema', () => {
    defineTool({
      name: 'count',
      inputSchema,
      outputSchema: z.object({ n: z.number() }),
      // @ts-expect-error n is a number
      execute: () => ({ n: 'one' }),
    });
  });

  it('makes tools that fit wherever any tool is taken', () => {
    const tools: Tool[] = [
      defineTool({ name: 'a', inputSchema, execute: ({ city }) => city }),
      defineTool({ name: 'b', inputSchema: z.object({}), execute: 'client' }),
    ];
    expect(tools).toHaveLength(2);
  });

  it('fills in the defaults', () => {
    const tool = defineTool({ name: 'plain', inputSchema, execute });
    expect(tool.description).toBe('');
  });

  it.each([['yes'], [''], [1], [0], [null], [{}], [[]]])(
    'refuses %j as requireApproval, which would say neither yes nor no',
    (requireApproval) => {
      const odd = { name: 'gated', inputSchema, execute, requireApproval } as never;
      expect(() => defineTool(odd)).toThrow(DefinitionError);
      expect(() => defineTool(odd)).toThrow('must be true, false or a function');
    },
  );

  it('keeps what it was told about its execution, and nothing else: a gate may come later', () => {
    const base = { name: 'gated', inputSchema, execute } as const;
    expect(defineTool({ ...base, requireApproval: true })).not.toHaveProperty('execution');
    expect(defineTool({ ...base, requireApproval: true, execution: 'retry' }).execution).toBe(
      'retry',
    );
  });

  it.each([
    ['a client tool that finishes', { execute: 'client', finishWith: true }],
    ['a client tool that is gated', { execute: 'client', requireApproval: true }],
    ['a client tool that may be gated', { execute: 'client', requireApproval: () => false }],
    ['a gated tool that finishes', { requireApproval: true, finishWith: true }],
  ] as const)('refuses %s', (_what, options) => {
    expect(() => defineTool({ name: 't', inputSchema, execute, ...options })).toThrow(
      DefinitionError,
    );
  });

  it.each([
    ['client', { execute: 'client', timeoutMs: 5 }, 'clientToolTimeoutMs'],
    ['client', { execute: 'client', execution: 'once' }, 'execution'],
    ['client', { execute: 'client', approvalTimeoutMs: 'never' }, 'clientToolTimeoutMs'],
    ['server', { clientToolTimeoutMs: 5 }, '`timeoutMs`'],
    ['server', { clientToolTimeoutMs: 'never' }, '`timeoutMs`'],
    ['server', { approvalTimeoutMs: 5 }, 'requireApproval'],
    ['gated', { requireApproval: true, clientToolTimeoutMs: 5 }, 'approvalTimeoutMs'],
  ] as const)('refuses on a %s tool what means nothing to it: %j', (_kind, options, instead) => {
    const odd = { name: 't', inputSchema, execute, ...options } as never;
    expect(() => defineTool(odd)).toThrow(DefinitionError);
    expect(() => defineTool(odd)).toThrow(instead);
  });

  it('lets a gate that is switched off keep its deadline', () => {
    const off = { requireApproval: false, approvalTimeoutMs: 5 };
    expect(defineTool({ name: 't', inputSchema, execute, ...off })).toMatchObject(off);
  });

  it('allows a client tool that says it is not gated', () => {
    const tool = defineTool({ name: 't', inputSchema, execute: 'client', requireApproval: false });
    expect(tool.execute).toBe('client');
  });

  it.each([
    '',
    '  ',
    ...RESERVED_TOOL_NAMES,
    ...RESERVED_TOOL_NAME_PREFIXES.map((prefix) => `${prefix}x`),
  ])('refuses the name "%s"', (name) => {
    expect(() => defineTool({ name, inputSchema, execute })).toThrow(DefinitionError);
  });

  it('reserves the names of what the framework adds', () => {
    expect(RESERVED_TOOL_NAMES).toEqual(['__finish__', 'load_skill', 'read_skill_file']);
    expect(RESERVED_TOOL_NAME_PREFIXES).toEqual(['subagent__', 'companion__']);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never])(
    'refuses a timeout of %s',
    (value) => {
      for (const option of ['timeoutMs', 'clientToolTimeoutMs', 'approvalTimeoutMs'] as const) {
        expect(() => defineTool({ name: 't', inputSchema, execute, [option]: value })).toThrow(
          option,
        );
      }
    },
  );

  it('refuses a timer longer than timers can be', () => {
    expect(() => defineTool({ name: 't', inputSchema, execute, timeoutMs: 2 ** 31 })).toThrow(
      'timeoutMs',
    );
  });

  it("takes 'never' for what waits for people", () => {
    const asks = { execute: 'client', clientToolTimeoutMs: 'never' } as const;
    expect(defineTool({ name: 't', inputSchema, ...asks })).toMatchObject(asks);
    const gated = { requireApproval: true, approvalTimeoutMs: 'never' } as const;
    expect(defineTool({ name: 't', inputSchema, execute, ...gated })).toMatchObject(gated);
  });

  it('refuses an input that no model could be shown, and takes any that can say its JSON Schema', () => {
    const standard = { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } as const;
    const silent = { '~standard': standard };
    const odd = { name: 't', execute, inputSchema: silent };
    expect(() => defineTool(odd)).toThrow('Tool "t": `inputSchema` cannot say its JSON Schema');
    expect(() => defineTool({ ...odd, inputSchema: z3.object({}) })).toThrow('zod 4');
    const own = { '~standard': { ...standard, jsonSchema: { input: () => ({ type: 'object' }) } } };
    expect(defineTool({ ...odd, inputSchema: own }).inputSchema).toBe(own);
    const output = { name: 't', inputSchema, outputSchema: silent, execute };
    expect(defineTool(output).outputSchema, 'which is not shown').toBe(silent);
  });

  it('refuses what is no schema, no function, no execution', () => {
    const broken: object[] = [
      { inputSchema: undefined },
      { inputSchema: { type: 'object' } },
      { outputSchema: 'string' },
      { execute: undefined },
      { execute: 'server' },
      { execution: 'twice' },
    ];
    for (const options of broken) {
      expect(() => defineTool({ name: 't', inputSchema, execute, ...options } as never)).toThrow(
        DefinitionError,
      );
    }
  });
});

describe('createSubAgentTool', () => {
  const agent = defineAgent({
    name: 'researcher',
    description: 'Finds things out.',
    systemPrompt: 'Research.',
    outputSchema: z.object({ answer: z.string() }),
    llmConfig: { model: 'm' },
  });

  it('names the tool after the agent and answers with its output', () => {
    const tool = createSubAgentTool(agent, z.object({ topic: z.string() }), { timeoutMs: 5000 });
    expect(tool.name).toBe(`${SUBAGENT_TOOL_PREFIX}researcher`);
    expect(tool.description).toBe('Finds things out.');
    expect(tool.subAgent).toEqual({ agent, timeoutMs: 5000 });
    expectTypeOf<InferToolOutput<typeof tool>>().toEqualTypeOf<{ answer: string }>();
    expectTypeOf<InferToolInput<typeof tool>>().toEqualTypeOf<{ topic: string }>();
    expect(isSubAgentTool(tool.name)).toBe(true);
    expect(isSubAgentTool('forecast')).toBe(false);
  });

  it('refuses an agent without an output and a bad timeout', () => {
    const silent = defineAgent({ name: 'silent', systemPrompt: '', llmConfig: { model: 'm' } });
    expect(() => createSubAgentTool(silent, z.object({}))).toThrow('outputSchema');
    expect(() => createSubAgentTool(agent, z.object({}), { timeoutMs: 0 })).toThrow('timeoutMs');
  });

  it.each([
    { requireApproval: true },
    { clientToolTimeoutMs: 5 },
    { approvalTimeoutMs: 'never' },
    { finishWith: true },
  ])('refuses %j, which is for tools with code of their own', (options) => {
    expect(() => createSubAgentTool(agent, z.object({}), options as never)).toThrow(
      DefinitionError,
    );
  });
});
