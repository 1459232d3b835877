// If this fails: a check that rejects ends the process, or runs twice.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../src/index.ts';
import { parseNow, parseWith } from '../src/define/parse-with.ts';

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(() => void process.off('unhandledRejection', note));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let checks = 0;
const rejecting = z.object({}).refine(async () => {
  checks += 1;
  throw new Error('the directory is down');
});

it('an async check that rejects is a refusal, asked once, and no unhandled rejection', async () => {
  checks = 0;
  expect(await parseWith(rejecting, {})).toEqual({
    ok: false,
    issues: [{ path: '', message: 'the directory is down' }],
  });
  expect(checks).toBe(1);
  await turn();
  expect(unhandled).toEqual([]);
});

it('an async check that rejects does no harm where nobody waits for it', async () => {
  expect(parseNow(rejecting, {})).toBeNull();
  const standard = { version: 1, vendor: 'own', validate: () => Promise.reject(new Error('no')) };
  expect(parseNow({ '~standard': standard } as never, {})).toBeNull();
  defineAgent({
    name: 'clerk',
    systemPrompt: 'You file things.',
    llmConfig: { model: 'scripted' },
    stateSchema: rejecting,
  });
  await turn();
  expect(unhandled).toEqual([]);
});

it('an async check says where and what, and parses what fits', async () => {
  const name = z.string().refine(async (text) => text !== 'taken', 'is taken');
  const schema = z.object({ user: z.object({ name }), n: z.number().default(1) });
  expect(await parseWith(schema, { user: { name: 'taken' } })).toEqual({
    ok: false,
    issues: [{ path: 'user.name', message: 'is taken' }],
  });
  expect(await parseWith(schema, { user: { name: 'free' } })).toEqual({
    ok: true,
    value: { user: { name: 'free' }, n: 1 },
  });
  expect(parseNow(z.object({ n: z.number() }), {})).toMatchObject({
    ok: false,
    issues: [{ path: 'n' }],
  });
});
