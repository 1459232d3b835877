import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonValue, utf8Length } from '../src/index.ts';

describe('toJsonValue', () => {
  it('turns undefined into null', () => {
    expect(toJsonValue(undefined)).toEqual({ ok: true, value: null, bytes: 4 });
  });

  it.each([false, 0, '', null, [], {}])('keeps %j', (value) => {
    const converted = toJsonValue(value);
    expect(converted).toEqual({ ok: true, value, bytes: JSON.stringify(value).length });
  });

  it('keeps lone surrogates', () => {
    expect(toJsonValue('\ud800')).toEqual({ ok: true, value: '\ud800', bytes: 8 });
  });

  it('speaks JSON of what has a JSON form', () => {
    const value = { at: new Date(0), skip: undefined, list: [undefined, Number.NaN], run: () => 1 };
    expect(toJsonValue(value)).toMatchObject({
      value: { at: '1970-01-01T00:00:00.000Z', list: [null, null] },
    });
  });

  it('says why where there is none, and never throws', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const thrower = {
      toJSON: () => {
        throw new Error('no JSON today');
      },
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    let deep: unknown = [];
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    for (const value of [
      1n,
      { n: 1n },
      cycle,
      () => 1,
      Symbol('x'),
      thrower,
      revoked.proxy,
      deep,
    ]) {
      const converted = toJsonValue(value);
      expect(converted.ok).toBe(false);
      expect(converted).toHaveProperty('reason');
    }
    expect(toJsonValue(thrower)).toEqual({ ok: false, reason: 'no JSON today' });
  });

  it('shares nothing with what it was given', () => {
    const given = { inner: { list: [1] } };
    const converted = toJsonValue(given);
    given.inner.list.push(2);
    expect(converted).toMatchObject({ value: { inner: { list: [1] } } });
  });

  it('counts bytes as an encoder does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
    expect(utf8Length('\ud800a\udc00')).toBe(new TextEncoder().encode('\ud800a\udc00').length);
  });
});
