import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFault, MAX_JSON_BYTES, toJsonValue, utf8Length } from '../src/index.ts';

describe('toJsonValue', () => {
  it('turns undefined into null', () => {
    expect(toJsonValue(undefined)).toEqual({ ok: true, value: null, bytes: 4 });
  });

  it.each([false, 0, '', null, [], {}, [null], { a: null }])('keeps %j', (value) => {
    const converted = toJsonValue(value);
    expect(converted).toEqual({ ok: true, value, bytes: JSON.stringify(value).length });
  });

  it('keeps lone surrogates', () => {
    expect(toJsonValue('\ud800')).toEqual({ ok: true, value: '\ud800', bytes: 8 });
  });

  it('gives every JSON value back with its size, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = JSON.stringify(value);
        const bytes = new TextEncoder().encode(text).length;
        expect(toJsonValue(value)).toEqual({ ok: true, value: JSON.parse(text), bytes });
        expect(toJsonValue(value, bytes)).toMatchObject({ ok: true });
        expect(toJsonValue(value, bytes - 1)).toMatchObject({ ok: false, isTooLarge: true });
      }),
    );
  });

  it('speaks JSON of dates, of what has toJSON and of what is undefined', () => {
    class Money {
      toJSON(key: string): object {
        return { [key]: 5, at: new Date(0) };
      }
    }
    const value = { at: new Date(0), skip: undefined, list: [undefined], price: new Money() };
    expect(toJsonValue(value)).toMatchObject({
      value: {
        at: '1970-01-01T00:00:00.000Z',
        list: [null],
        price: { price: 5, at: '1970-01-01T00:00:00.000Z' },
      },
    });
  });

  it('takes plain objects of another realm and without a prototype', () => {
    const foreign: unknown = vm.runInNewContext('({ a: [{ b: 1 }] })');
    expect(toJsonValue(foreign)).toMatchObject({ value: { a: [{ b: 1 }] } });
    expect(toJsonValue(Object.create(null))).toMatchObject({ value: {} });
  });

  it('keeps a key that would set a prototype', () => {
    const text = '{"a":{"__proto__":{"evil":true}}}';
    const converted = toJsonValue(JSON.parse(text));
    expect(JSON.stringify(converted.ok && converted.value)).toBe(text);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = [cycle];

  it.each([
    ['a Map', { items: [0, new Map([[1, 2]])] }, 'items.1: a Map has no JSON form'],
    ['a Set', { seen: new Set([1]) }, 'seen: a Set has no JSON form'],
    ['an Error', { error: new Error('x') }, 'error: an Error has no JSON form'],
    ['binary data', { file: new Uint8Array(3) }, 'file: a Uint8Array has no JSON form'],
    ['a class instance', [new (class Order {})()], '0: an Order has no JSON form'],
    ['a function', { run: () => 1 }, 'run: a function has no JSON form'],
    ['a symbol', Symbol('x'), 'a symbol has no JSON form'],
    ['a bigint', { n: 1n }, 'n: a bigint has no JSON form; make it a string'],
    ['NaN', { a: { b: Number.NaN } }, 'a.b: NaN has no JSON form; use null'],
    ['an infinite number', [-Infinity], '0: -Infinity has no JSON form; use null'],
    ['an invalid Date', { at: new Date(Number.NaN) }, 'at: an invalid Date has no JSON form'],
    ['a cycle', cycle, 'self.0: it contains itself'],
  ])('refuses %s by its path', (_, value, fault) => {
    const converted = toJsonValue(value);
    expect(converted).toMatchObject({ ok: false, isTooLarge: false });
    expect(converted.ok || describeFault(converted)).toContain(fault);
  });

  it('says why where code of the value throws, and never throws itself', () => {
    const thrower = {
      toJSON: () => {
        throw new Error('no JSON today');
      },
    };
    const getter = Object.defineProperty({}, 'now', {
      enumerable: true,
      get: () => {
        throw new Error('not now');
      },
    });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    let deep: unknown = [];
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    expect(toJsonValue(thrower)).toMatchObject({ ok: false, path: '', reason: 'no JSON today' });
    expect(toJsonValue({ getter })).toMatchObject({ path: 'getter.now', reason: 'not now' });
    expect(toJsonValue(revoked.proxy)).toMatchObject({ ok: false });
    expect(toJsonValue(deep)).toMatchObject({ ok: false, reason: expect.stringContaining('deep') });
  });

  it('stops at its limit in a value that contains the same parts again and again', () => {
    let graph: unknown = { leaf: true };
    for (let level = 0; level < 60; level += 1) graph = [graph, graph];
    expect(toJsonValue(graph)).toMatchObject({ ok: false, isTooLarge: true });
    expect(toJsonValue(graph, 1_000)).toEqual({
      ok: false,
      path: '',
      reason: 'it has more than 1000 bytes as JSON',
      isTooLarge: true,
    });
    const hollow = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, undefined]));
    expect(toJsonValue(Array(1_000_000).fill(hollow))).toMatchObject({ isTooLarge: true });
  });

  it('looks at no more of a long list than fits', () => {
    let seen = 0;
    const item = { toJSON: () => (seen += 1) && 'x'.repeat(98) };
    expect(toJsonValue(Array(1_000_000).fill(item), 10_000)).toMatchObject({ isTooLarge: true });
    expect(seen).toBe(99);
    expect(toJsonValue('x'.repeat(MAX_JSON_BYTES))).toMatchObject({ isTooLarge: true });
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
