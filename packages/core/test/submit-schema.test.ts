import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import {
  createSubmitToolResultSchema,
  DEFAULT_SUBMIT_MAX_RESULT_BYTES,
  DefinitionError,
  SUBMIT_SCHEMA_LIMITS,
  type SubmitToolResult,
  SubmitToolResultSchema,
} from '../src/index.ts';
import { readSubmitLimits } from '../src/define/submit-schema.ts';

const call = { sessionId: 'root', toolCallId: 'call-1' };
const client = { kind: 'client-tool-result', ...call };
const approval = { kind: 'approval-response', ...call };

function pathsOf(body: unknown, schema = SubmitToolResultSchema): string[] {
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : parsed.error.issues.map((issue) => issue.path.join('.'));
}

describe('SubmitToolResultSchema', () => {
  it.each([false, 0, '', null, [], {}, { a: [null] }])('takes %j as a result', (result) => {
    expect(SubmitToolResultSchema.parse({ ...client, result })).toEqual({ ...client, result });
  });

  it('takes a body without kind as a client tool result', () => {
    expect(SubmitToolResultSchema.parse({ ...call, result: 1 })).toEqual({ ...client, result: 1 });
    expect(SubmitToolResultSchema.parse({ ...call, error: 'no' })).toEqual({
      ...client,
      error: 'no',
    });
  });

  it('takes an error whatever the kind says', () => {
    expect(SubmitToolResultSchema.parse({ ...approval, error: 'stuck' })).toEqual({
      ...client,
      error: 'stuck',
    });
  });

  it.each([
    ['neither result nor error', client, ['result']],
    ['both', { ...client, result: 1, error: 'x' }, ['error']],
    ['a falsy result and an error', { ...client, result: null, error: 'x' }, ['error']],
    ['an approval with an error', { ...approval, approved: true, error: 'x' }, ['error']],
    ['an approval with a result', { ...approval, approved: true, result: 1 }, ['result']],
    ['an approval that does not say', approval, ['approved']],
    ['an approval that says yes as text', { ...approval, approved: 'yes' }, ['approved']],
    ['an approval without its kind', { ...call, approved: true }, ['result']],
    ['an empty error', { ...client, error: '' }, ['error']],
    ['an unknown kind', { ...call, kind: 'other', result: 1 }, ['kind']],
    ['no ids', { result: 1 }, ['sessionId', 'toolCallId']],
    ['empty ids', { sessionId: '', toolCallId: '', result: 1 }, ['sessionId', 'toolCallId']],
    ['an id with a line break', { ...client, toolCallId: 'a\r\nb', result: 1 }, ['toolCallId']],
    ['an id with NUL', { ...client, sessionId: 'a\u0000', result: 1 }, ['sessionId']],
    ['an id with half a character', { ...client, sessionId: '\ud800', result: 1 }, ['sessionId']],
    ['a long id', { ...client, sessionId: 'x'.repeat(257), result: 1 }, ['sessionId']],
    ['text', 'x', ['']],
    ['nothing', null, ['']],
  ])('refuses %s', (_what, body, paths) => {
    expect(pathsOf(body)).toEqual(paths);
  });

  it('takes approvals with what may come along', () => {
    const least = { ...approval, approved: false };
    expect(SubmitToolResultSchema.parse(least)).toEqual(least);
    const most = { ...approval, approvalId: 'r::c', approved: true, reason: 'fine', input: null };
    expect(SubmitToolResultSchema.parse(most)).toEqual(most);
  });

  it('leaves out what it does not know', () => {
    expect(SubmitToolResultSchema.parse({ ...client, result: 1, answeredBy: 'me' })).toEqual({
      ...client,
      result: 1,
    });
  });

  it('limits errors, results and edited input by bytes', () => {
    expect(pathsOf({ ...client, error: 'é'.repeat(4096) })).toEqual([]);
    expect(pathsOf({ ...client, error: 'é'.repeat(4097) })).toEqual(['error']);
    const small = createSubmitToolResultSchema({ maxResultBytes: 10 });
    expect(pathsOf({ ...client, result: 'é'.repeat(4) }, small)).toEqual([]);
    expect(pathsOf({ ...client, result: 'é'.repeat(5) }, small)).toEqual(['result']);
    expect(pathsOf({ ...approval, approved: true, input: 'x'.repeat(9) }, small)).toEqual([
      'input',
    ]);
    expect(pathsOf({ ...client, result: 1n })).toEqual(['result']);
  });

  it('carries its limits', () => {
    expect(SubmitToolResultSchema[SUBMIT_SCHEMA_LIMITS]).toEqual({
      maxIdLength: 256,
      maxErrorBytes: 8192,
      maxResultBytes: DEFAULT_SUBMIT_MAX_RESULT_BYTES,
    });
    const small = createSubmitToolResultSchema({ maxResultBytes: 10 });
    expect(readSubmitLimits(small)?.maxResultBytes).toBe(10);
    expect(readSubmitLimits({})).toBeNull();
    expect(() => createSubmitToolResultSchema({ maxResultBytes: 0 })).toThrow(DefinitionError);
  });

  it('has the type of what it gives', () => {
    expectTypeOf<z.infer<typeof SubmitToolResultSchema>>().toEqualTypeOf<SubmitToolResult>();
  });
});
