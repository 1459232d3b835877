// If this fails: an option that was meant to protect something is lost because of how it was spelled.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSubAgentTool,
  defineAgent,
  DefinitionError,
  defineTool,
  type AgentConfig,
  type Tool,
} from '../src/index.ts';

const tool = { name: 'pay', inputSchema: z.object({}), execute: () => 'paid' };
const agent = { name: 'a', systemPrompt: 'You answer.' };
const child = defineAgent({ ...agent, name: 'child', outputSchema: z.object({}) });

/** Options that come in by a spread are not seen by the compiler. */
const spread = (options: object): object => options;

describe('options that do not exist', () => {
  it.each([
    [
      { needsApproval: true },
      '`needsApproval` is not an option of defineTool; did you mean `requireApproval`?',
    ],
    [{ requiresApproval: true }, 'did you mean `requireApproval`?'],
    [{ requireAproval: true }, 'did you mean `requireApproval`?'],
    [{ require_approval: true }, 'did you mean `requireApproval`?'],
    [{ timeout: 5 }, 'did you mean `timeoutMs`?'],
    [{ zzz: 5 }, 'it takes `name`, `description`'],
  ])('are refused by defineTool: %o', (options, text) => {
    expect(() => defineTool({ ...tool, ...spread(options) })).toThrow(DefinitionError);
    expect(() => defineTool({ ...tool, ...spread(options) })).toThrow(text);
  });

  it('are refused on tools that were written by hand or spread from others', () => {
    const tools = [{ ...defineTool(tool), ...spread({ needsApproval: true }) }];
    expect(() => defineAgent({ ...agent, tools })).toThrow(
      'Agent "a", tool "pay": `needsApproval` is not an option of defineTool; did you mean `requireApproval`?',
    );
  });

  it.each([
    [{ instructions: 'x' }, 'did you mean `systemPrompt`?'],
    [{ model: 'gpt' }, 'did you mean `llmConfig: { model }`?'],
    [{ maxStep: 3 }, 'did you mean `maxSteps`?'],
    [{ llmConfig: { maxTokens: 3 } }, 'did you mean `maxOutputTokens`?'],
    [{ hooks: { onToolStart: () => {} } }, '`onToolStart` is not an option of hooks'],
    [{ hooks: { afterTools: () => {} } }, 'did you mean `afterTool`?'],
  ])('are refused by defineAgent: %o', (options, text) => {
    expect(() => defineAgent({ ...agent, ...spread(options) })).toThrow(text);
  });

  it('are refused by createSubAgentTool', () => {
    const make = (options: object): unknown => createSubAgentTool(child, z.object({}), options);
    expect(() => make({ timeout: 5 })).toThrow('did you mean `timeoutMs`?');
    expect(() => make({ needsApproval: true })).toThrow('is not an option of createSubAgentTool');
    expect(() => make({ description: undefined })).not.toThrow();
  });

  it('are none where the value is undefined, or the object of hooks has members of its own', () => {
    expect(() => defineTool({ ...tool, ...spread({ needsApproval: undefined }) })).not.toThrow();
    const hooks = { client: {}, flush: () => {}, afterTool: () => {} };
    expect(() => defineAgent({ ...agent, hooks })).not.toThrow();
  });
});

describe('what is given as tools', () => {
  const define = (tools: unknown): AgentConfig => defineAgent({ ...agent, tools: tools as Tool[] });

  it('is a list: a record is refused with the list to write', () => {
    expect(() => define({ pay: tool, look: tool })).toThrow(
      'Agent "a": `tools` must be a list of tools, such as [pay, look]',
    );
  });

  it('has no tool() of the AI SDK in it', () => {
    const theirs = { description: 'Pays.', inputSchema: z.object({}), execute: () => 1 };
    expect(() => define([theirs])).toThrow('has a tool() of the AI SDK in it');
    expect(() => define([undefined])).toThrow('`tools` has a undefined in it');
  });

  it.each(['my tool', 'über', 'a.b', '1st', 'x'.repeat(65)])(
    'has names that providers take: %s is refused',
    (name) => {
      expect(() => defineTool({ ...tool, name })).toThrow('model providers refuse this name');
      expect(() => define([{ ...defineTool(tool), name }])).toThrow('model providers refuse');
    },
  );

  it('says a name that would do', () => {
    expect(() => defineTool({ ...tool, name: 'my tool!' })).toThrow('such as "my_tool"');
    expect(() => defineTool({ ...tool, name: 'x'.repeat(64) })).not.toThrow();
  });

  it('has sub-agents whose name providers take', () => {
    const odd = { ...child, name: 'fact checker' };
    expect(() => createSubAgentTool(odd, z.object({}))).toThrow(
      'Agent "fact checker" as the tool "subagent__fact checker": model providers refuse this name',
    );
  });

  it.each([
    ['z.string()', z.string(), 'describes a value of type "string"'],
    ['z.array(…)', z.array(z.string()), 'describes a value of type "array"'],
    ['z.any()', z.any(), 'takes anything'],
    ['a union with a text', z.union([z.string(), z.object({})]), 'takes anything'],
  ])('has inputs that are objects: %s is refused', (_what, inputSchema, text) => {
    expect(() => defineTool({ ...tool, inputSchema })).toThrow(
      '`inputSchema` must describe an object',
    );
    expect(() => defineTool({ ...tool, inputSchema })).toThrow(text);
    expect(() => createSubAgentTool(child, inputSchema)).toThrow('must describe an object');
  });

  it.each([
    ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a discriminated union', z.discriminatedUnion('k', [z.object({ k: z.literal('a') })])],
  ])('has inputs that providers take: %s is refused', (_what, inputSchema) => {
    expect(() => defineTool({ ...tool, inputSchema })).toThrow('put a union into a field');
    expect(() => defineTool({ ...tool, inputSchema: z.object({ inputSchema }) })).not.toThrow();
  });

  it.each([
    ['z.date()', z.date(), 'z.coerce.date()', z.coerce.date()],
    ['z.bigint()', z.bigint(), 'z.coerce.bigint()', z.coerce.bigint()],
    ['z.map()', z.map(z.string(), z.string()), 'z.record(', z.record(z.string(), z.string())],
    ['z.set()', z.set(z.string()), 'z.array(', z.array(z.string())],
    ['z.date()', z.date(), 'z.iso.datetime()', z.union([z.string(), z.date()])],
    [
      'z.date()',
      z.date(),
      'z.iso.datetime()',
      z.preprocess((at) => new Date(String(at)), z.date()),
    ],
  ])('has inputs that JSON can carry: %s is refused', (what, part, instead, fit) => {
    const deep = (inner: z.ZodType): z.ZodType =>
      z.object({ list: z.array(z.object({ at: inner.optional() })) });
    const define = (): unknown => defineTool({ ...tool, inputSchema: deep(part) as never });
    expect(define).toThrow(`has a ${what} at "list.[].at"`);
    expect(define).toThrow(instead);
    expect(() => defineTool({ ...tool, inputSchema: deep(fit) as never })).not.toThrow();
    const client = { ...tool, inputSchema: z.object({}), execute: 'client' as const };
    expect(() => defineTool({ ...client, outputSchema: deep(part) })).toThrow('`outputSchema` has');
    const outputSchema = deep(part);
    expect(() => defineAgent({ name: 'a', systemPrompt: '', outputSchema })).toThrow(what);
  });

  it.each([
    ['intersections', z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))],
    ['records', z.record(z.string(), z.number())],
    ['transforms', z.object({ a: z.string() }).transform(({ a }) => a)],
    [
      'schemas of schemas that are defined later',
      z.object({
        get later() {
          return later;
        },
      }),
    ],
  ])('has inputs that are objects: %s pass', (_what, inputSchema) => {
    expect(() => defineTool({ ...tool, inputSchema })).not.toThrow();
  });
});

const later = z.object({ a: z.string() });
