// If this fails: what a schema says is lost on its way to the result, the state or the input. Checked by the compiler.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  toRunOutcome,
  type AgentConfig,
  type AgentExecutionHandle,
  type AgentExecutor,
  type AgentResult,
  type InferAgentOutput,
  type InferAgentTools,
  type InferToolInput,
  type InferToolOutput,
  type RunOutcome,
  type StepOutcome,
  type StreamChunk,
  type SuspendedChildWait,
  type ToolContext,
} from '../src/index.ts';

const inputSchema = z.object({ city: z.string() });
const stateSchema = z.object({
  seen: z.array(z.string()).default([]),
  done: z.boolean().default(false),
});
const base = { name: 'a', systemPrompt: 'You answer.' };

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema,
  execute: async ({ city }) => ({ city, degrees: 20 }),
});

describe('the output of a tool', () => {
  it('is what execute returns, awaited', () => {
    expectTypeOf<InferToolInput<typeof look>>().toEqualTypeOf<{ city: string }>();
    expectTypeOf<InferToolOutput<typeof look>>().toEqualTypeOf<{ city: string; degrees: number }>();
    expectTypeOf(look.name).toEqualTypeOf<'look'>();
  });

  it('is what outputSchema says, where there is one', () => {
    const tool = defineTool({
      name: 't',
      inputSchema,
      outputSchema: z.object({ n: z.coerce.string() }),
      execute: () => ({ n: 1 }),
    });
    expectTypeOf<InferToolOutput<typeof tool>>().toEqualTypeOf<{ n: string }>();
  });

  it('is null for a tool that returns nothing, and unknown for a client tool without outputSchema', () => {
    const silent = defineTool({ name: 't', inputSchema, execute: () => {} });
    const client = defineTool({ name: 't', inputSchema, execute: 'client' });
    expectTypeOf<InferToolOutput<typeof silent>>().toEqualTypeOf<null>();
    expectTypeOf<InferToolOutput<typeof client>>().toBeUnknown();
  });
});

describe('a tool that no provider or store would take', () => {
  it('is refused by the compiler for an input that is not an object', () => {
    const execute = (): null => null;
    // @ts-expect-error a text has no named fields
    expect(() => defineTool({ name: 't', inputSchema: z.string(), execute })).toThrow('object');
    // @ts-expect-error nor has a list
    expect(() => defineTool({ name: 't', parameters: z.array(z.string()), execute })).toThrow();
    defineTool({ name: 't', inputSchema: z.object({}), execute });
    defineTool({ name: 't', inputSchema: z.record(z.string(), z.number()), execute });
  });

  it('is refused by the compiler for a result that JSON cannot carry', () => {
    // @ts-expect-error a Map
    defineTool({ name: 't', inputSchema, execute: () => new Map([['a', 1]]) });
    // @ts-expect-error a Set, awaited
    defineTool({ name: 't', inputSchema, execute: async () => new Set(['a']) });
    // @ts-expect-error a bigint
    defineTool({ name: 't', inputSchema, execute: () => 1n });
    defineTool({ name: 't', inputSchema, execute: ({ city }) => [city, { city }] });
    defineTool({ name: 't', inputSchema, execute: () => JSON.parse('{}') });
  });
});

describe('the output of an agent', () => {
  it('is text without outputSchema', () => {
    const plain = defineAgent(base);
    const tooled = defineAgent({ ...base, tools: [look] });
    expectTypeOf<InferAgentOutput<typeof plain>>().toEqualTypeOf<string>();
    expectTypeOf<InferAgentOutput<typeof tooled>>().toEqualTypeOf<string>();
  });

  it('is what outputSchema says', () => {
    const agent = defineAgent({
      ...base,
      outputSchema: z.object({ n: z.number() }),
      tools: [look],
    });
    expectTypeOf<InferAgentOutput<typeof agent>>().toEqualTypeOf<{ n: number }>();
    const caller = createSubAgentTool(agent, inputSchema);
    expectTypeOf<InferToolOutput<typeof caller>>().toEqualTypeOf<{ n: number }>();
  });

  it('may also be what a finishWith tool returns', () => {
    const finish = defineTool({ name: 'f', inputSchema, finishWith: true, execute: () => 7 });
    const agent = defineAgent({ ...base, tools: [look, finish] });
    expectTypeOf<InferAgentOutput<typeof agent>>().toEqualTypeOf<string | number>();
  });

  it('is unknown of an agent that is any', () => {
    expectTypeOf<InferAgentOutput<AgentConfig>>().toBeUnknown();
  });

  it('has the tools of the agent in its type, inline ones too', () => {
    const agent = defineAgent({
      ...base,
      tools: [look, defineTool({ name: 'inline', inputSchema, execute: () => true })],
    });
    expectTypeOf<InferAgentTools<typeof agent>['name']>().toEqualTypeOf<'look' | 'inline'>();
    expectTypeOf<InferAgentOutput<typeof agent>>().toEqualTypeOf<string>();
  });
});

describe('the state', () => {
  const agent = defineAgent({ ...base, stateSchema });

  it('is checked where a run is given one', () => {
    const start = (executor: AgentExecutor): void => {
      void executor.execute(agent, { message: 'go', state: { seen: ['x'] } });
      // @ts-expect-error no such field
      void executor.execute(agent, { message: 'go', state: { nope: 1 } });
      // @ts-expect-error seen is a list
      void executor.execute(agent, { message: 'go', state: { seen: 'x' } });
      void executor.execute(defineAgent(base), { message: 'go', state: { anything: 1 } });
    };
    expect(start).toBeTypeOf('function');
  });

  it('is typed in a tool that was written for it', () => {
    const tool = defineTool({
      name: 't',
      inputSchema,
      stateSchema,
      requireApproval: (_input, { state }) => {
        expectTypeOf(state).toEqualTypeOf<{ seen: string[]; done: boolean }>();
        return state.done;
      },
      execute: ({ city }, context) => {
        expectTypeOf(context).toEqualTypeOf<ToolContext<{ seen: string[]; done: boolean }>>();
        expectTypeOf(context.state.seen).toEqualTypeOf<string[]>();
        context.updateState((draft) => {
          draft.seen.push(city);
          // @ts-expect-error done is a boolean
          draft.done = 'yes';
        });
        return context.state.seen.length;
      },
    });
    expectTypeOf(defineAgent({ ...base, stateSchema, tools: [tool] }).tools).not.toBeAny();
    // @ts-expect-error the agent has no state
    expect(() => defineAgent({ ...base, tools: [tool] })).toThrow('has no `stateSchema`');
    const other = z.object({ seen: z.array(z.string()).default([]) });
    // @ts-expect-error the state lacks done
    expect(() => defineAgent({ ...base, stateSchema: other, tools: [tool] })).toThrow('lacks done');
  });

  it('may be a part of what the agent has', () => {
    const part = z.object({ seen: z.array(z.string()).default([]) });
    const tool = defineTool({
      name: 't',
      inputSchema,
      stateSchema: part,
      execute: (_input, { state }) => state.seen.length,
    });
    expect(defineAgent({ ...base, stateSchema, tools: [tool] }).tools).toEqual([tool]);
  });
});

describe('a handle', () => {
  it('has a stream that is never null, and is one itself', () => {
    expectTypeOf<AgentExecutionHandle['stream']>().returns.resolves.toEqualTypeOf<
      AsyncIterable<StreamChunk>
    >();
    expectTypeOf<AgentExecutionHandle>().toExtend<AsyncIterable<StreamChunk>>();
  });
});

describe('toRunOutcome', () => {
  it('says by kind what a result says by status', () => {
    const suspended = { toolCallIds: ['a'], children: ['s-sub-1-0'], stepId: 1 };
    const result = { status: 'suspended_awaiting_children', suspended } as AgentResult<string>;
    const outcome = toRunOutcome(result);
    expectTypeOf(outcome).toEqualTypeOf<RunOutcome<string>>();
    expectTypeOf<RunOutcome<string>>().toExtend<StepOutcome<string>>();
    expect(outcome).toEqual({
      kind: 'suspended_awaiting_children',
      toolCallIds: ['a'],
      children: [{ subSessionId: 's-sub-1-0' } satisfies SuspendedChildWait],
      stepId: 1,
    });
    expect(toRunOutcome({ status: 'completed', output: 'x' })).toEqual({
      kind: 'completed',
      output: 'x',
    });
  });
});
