import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import {
  defineAgent,
  DefinitionError,
  HelixError,
  initialState,
  InvalidRequestError,
  type Schema,
} from '../src/index.ts';
import { parseWith } from '../src/define/parse-with.ts';
import { toJsonSchema } from '../src/define/json-schema.ts';
import { replacedState, withStateDefaults } from '../src/define/initial-state.ts';

const agentWith = (stateSchema?: Schema): ReturnType<typeof defineAgent> =>
  defineAgent({
    name: 'a',
    systemPrompt: '',
    llmConfig: { model: 'm' },
    ...(stateSchema && { stateSchema }),
  });

describe('parseWith', () => {
  it('gives the parsed value', async () => {
    const schema = z.object({ n: z.coerce.number(), tag: z.string().default('x') });
    expect(await parseWith(schema, { n: '3' })).toEqual({ ok: true, value: { n: 3, tag: 'x' } });
  });

  it('gives issues with dotted paths', async () => {
    const schema = z.object({ items: z.array(z.object({ name: z.string() })) });
    const result = await parseWith(schema, { items: [{ name: 1 }] });
    expect(result).toMatchObject({ ok: false, issues: [{ path: 'items.0.name' }] });
    expect(await parseWith(schema, 'x')).toMatchObject({ ok: false, issues: [{ path: '' }] });
  });

  it('waits for schemas that answer later', async () => {
    const schema = z.string().refine(async (value) => value === 'yes', 'say yes');
    expect(await parseWith(schema, 'yes')).toEqual({ ok: true, value: 'yes' });
    expect(await parseWith(schema, 'no')).toMatchObject({ issues: [{ message: 'say yes' }] });
  });

  it('treats a schema that throws as one that refuses', async () => {
    const schema = z.string().refine(() => {
      throw new Error('broken rule');
    });
    expect(await parseWith(schema, 'x')).toEqual({
      ok: false,
      issues: [{ path: '', message: 'broken rule' }],
    });
  });

  it('takes any Standard Schema, with segments as objects too', async () => {
    const schema: Schema<string> = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) =>
          value === 'ok' ? { value } : { issues: [{ message: 'no', path: [{ key: 'a' }, 1] }] },
      },
    };
    expect(await parseWith(schema, 'ok')).toEqual({ ok: true, value: 'ok' });
    expect(await parseWith(schema, 'x')).toEqual({
      ok: false,
      issues: [{ path: 'a.1', message: 'no' }],
    });
  });
});

describe('toJsonSchema', () => {
  it('describes what goes in and survives what has no JSON form', () => {
    const schema = z.object({
      text: z.string().describe('words'),
      when: z.date().optional(),
      size: z.string().transform(Number),
      count: z.number().default(1),
    });
    expect(toJsonSchema(schema)).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', description: 'words' },
        when: {},
        size: { type: 'string' },
        count: { type: 'number', default: 1 },
      },
      required: ['text', 'size'],
    });
  });

  it('converts a schema once', () => {
    const schema = z.object({});
    expect(toJsonSchema(schema)).toBe(toJsonSchema(schema));
  });

  it('takes zod mini', () => {
    const schema = mini.object({ a: mini.string(), at: mini.optional(mini.date()) });
    expect(toJsonSchema(schema)).toMatchObject({ properties: { a: { type: 'string' } } });
  });

  it('takes a Standard Schema that knows its JSON Schema and refuses one that does not', () => {
    const standard = { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } as const;
    const able = {
      '~standard': { ...standard, jsonSchema: { input: () => ({ type: 'string' }) } },
    };
    expect(toJsonSchema(able)).toEqual({ type: 'string' });
    expect(() => toJsonSchema({ '~standard': standard })).toThrow(DefinitionError);
  });
});

describe('initialState', () => {
  const schema = z.object({ count: z.number().default(0), tags: z.array(z.string()).default([]) });

  it('is the defaults with what the caller gave', async () => {
    expect(await initialState(agentWith(schema))).toEqual({ count: 0, tags: [] });
    expect(await initialState(agentWith(schema), { count: 2 })).toEqual({ count: 2, tags: [] });
  });

  it('is what the caller gave where there is no schema', async () => {
    expect(await initialState(agentWith())).toEqual({});
    expect(await initialState(agentWith(), { free: [1] })).toEqual({ free: [1] });
  });

  it('refuses what the schema refuses, by path', async () => {
    const failure: unknown = await initialState(agentWith(schema), { count: 'x' }).catch((e) => e);
    expect(failure).toBeInstanceOf(InvalidRequestError);
    expect(failure).toMatchObject({ details: [{ path: 'state.count' }] });
  });

  it('refuses defaults that are no plain data', async () => {
    const odd = z.object({ big: z.bigint().default(1n) });
    const failure: unknown = await initialState(agentWith(odd)).catch((e) => e);
    expect(HelixError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ code: 'state_unserializable' });
  });

  it('reads the fields of a later turn, and refuses their faults alone', async () => {
    const agent = agentWith(schema);
    const stored = { count: 'of an older schema', tags: [] };
    expect(await replacedState(agent, { count: 1 }, { count: 2, other: 3 })).toEqual({ count: 2 });
    expect(await replacedState(agent, stored, { tags: ['x'] })).toEqual({ tags: ['x'] });
    expect(await replacedState(agentWith(), {}, { free: [1] })).toEqual({ free: [1] });
    const failure: unknown = await replacedState(agent, stored, { tags: [1] }).catch((e) => e);
    expect(failure).toBeInstanceOf(InvalidRequestError);
    expect(failure).toMatchObject({ details: [{ path: 'state.tags.0' }] });
  });

  it('gives stored state the fields a newer definition has, and leaves the rest', async () => {
    const stored = { count: 'not a number', gone: true };
    expect(await withStateDefaults(agentWith(schema), stored)).toEqual({ ...stored, tags: [] });
    const whole = { count: 1, tags: ['x'] };
    expect(await withStateDefaults(agentWith(schema), whole)).toBe(whole);
    expect(await withStateDefaults(agentWith(), whole)).toBe(whole);
  });
});
