// If this fails: a body costs far more than its bytes before anybody looks at it, or a good one is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBodyBudget, DEFAULT_BODY_LIMITS, readJsonBody } from '../src/index.ts';
import { JSON_LIMITS, scanJson } from '../src/request/scan-json.ts';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const read = (text: string) => readJsonBody(new Blob([text]).stream(), null, DEFAULT_BODY_LIMITS);

describe('a body of JSON', () => {
  it('is read as the parser reads it, whatever its strings hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(scanJson(bytesOf(text), JSON_LIMITS).fault).toBeNull();
        expect(await read(text)).toMatchObject({ ok: true, value: JSON.parse(text) as unknown });
      }),
    );
  });

  it.each([
    ['brackets in a string', `["${'['.repeat(1_000)}"]`],
    ['a quote in a string', `["\\"${'['.repeat(1_000)}"]`],
    ['backslashes before the end of a string', `["\\\\\\\\", "${'{'.repeat(1_000)}"]`],
    ['200 levels', '['.repeat(200) + ']'.repeat(200)],
  ])('is taken with %s', async (_, text) => {
    expect(await read(text)).toMatchObject({ ok: true });
  });

  it.each([
    ['201 levels', '['.repeat(201) + ']'.repeat(201), /200 levels/],
    ['levels that no parser sees', '['.repeat(201), /200 levels/],
    ['a million items', `[${'0,'.repeat(999_999)}0]`, /more than 250000 values/],
    ['a million empty objects', `[${'{},'.repeat(999_999)}{}]`, /more than 250000 values/],
    ['a string without an end', '["', /not JSON/],
  ])('is refused with %s', async (_, text, fault) => {
    expect(await read(text)).toEqual({ ok: false, fault: expect.stringMatching(fault) as string });
  });
});

describe('the budget of bodies', () => {
  it('takes one that is alone, whatever its size', async () => {
    const budget = createBodyBudget(10);
    const hold = budget.open();
    const text = JSON.stringify('x'.repeat(1_000));
    const body = (): ReadableStream<Uint8Array> => new Blob([text]).stream();
    expect(await readJsonBody(body(), null, DEFAULT_BODY_LIMITS, hold)).toMatchObject({ ok: true });
    const late = budget.open();
    await expect(readJsonBody(body(), null, DEFAULT_BODY_LIMITS, late)).rejects.toMatchObject({
      body: { code: 'UNAVAILABLE' },
    });
  });

  it('counts bytes and values until they are released, and what failed not at all', async () => {
    const budget = createBodyBudget(1_000);
    const first = budget.open();
    const body = (text: string) => new Blob([text]).stream();
    await readJsonBody(body('x'.repeat(500)), null, DEFAULT_BODY_LIMITS, first);
    const second = budget.open();
    const values = `[${'0,'.repeat(9)}0]`;
    await expect(
      readJsonBody(body(values), null, DEFAULT_BODY_LIMITS, second),
    ).rejects.toMatchObject({ status: 503 });
    second.release();
    first.release();
    first.release();
    const third = budget.open();
    expect(await readJsonBody(body(values), null, DEFAULT_BODY_LIMITS, third)).toMatchObject({
      ok: true,
    });
  });
});
