import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyWrites, mergeWrites } from '../src/state/apply-writes.ts';
import type { JsonValue } from '../src/index.ts';
import type { StateWrite } from '../src/state/state-write.ts';

const json = fc.json().map((text): JsonValue => JSON.parse(text));
const segment = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'constructor', 'prototype', 'length', '0'),
  fc.nat(3),
);
const path = fc.array(segment, { maxLength: 4 });
const write: fc.Arbitrary<StateWrite> = fc.oneof(
  fc.record({ op: fc.constant('set' as const), path, value: json }),
  fc.record({ op: fc.constant('remove' as const), path }),
  fc.record({ op: fc.constant('append' as const), path, values: fc.array(json, { maxLength: 3 }) }),
);

describe('applyWrites', () => {
  it('sets, removes and appends', () => {
    const state = { a: 1, list: [1], deep: { x: { y: 1 } } };
    expect(
      applyWrites(state, [
        { op: 'set', path: ['a'], value: 2 },
        { op: 'append', path: ['list'], values: [2, 3] },
        { op: 'remove', path: ['deep', 'x', 'y'] },
      ]),
    ).toEqual({ a: 2, list: [1, 2, 3], deep: { x: {} } });
    expect(state).toEqual({ a: 1, list: [1], deep: { x: { y: 1 } } });
  });

  it('shares what it does not write to', () => {
    const state = { kept: { big: true }, a: 1 };
    const next = applyWrites(state, [{ op: 'set', path: ['a'], value: 2 }]) as typeof state;
    expect(next.kept).toBe(state.kept);
  });

  it('creates missing parents, as arrays where an index follows', () => {
    expect(applyWrites({}, [{ op: 'set', path: ['a', 'b', 0, 'c'], value: 1 }])).toEqual({
      a: { b: [{ c: 1 }] },
    });
    expect(applyWrites(null, [{ op: 'append', path: ['a', 'log'], values: ['x'] }])).toEqual({
      a: { log: ['x'] },
    });
  });

  it('appends to what is no array as to an empty one', () => {
    for (const list of ['text', { a: 1 }, null, 7]) {
      expect(applyWrites({ list }, [{ op: 'append', path: ['list'], values: [1] }])).toEqual({
        list: [1],
      });
    }
  });

  it('replaces a parent of the wrong kind', () => {
    const set: StateWrite = { op: 'set', path: ['a', 'b'], value: 1 };
    for (const a of ['text', 3, null, [1, 2]]) {
      expect(applyWrites({ a }, [set])).toEqual({ a: { b: 1 } });
    }
  });

  it('drops a write into an element that is gone', () => {
    const state = { items: [{ done: false }] };
    for (const index of [1, 5, -1, 0.5]) {
      const writes: StateWrite[] = [{ op: 'set', path: ['items', index, 'done'], value: true }];
      expect(applyWrites(state, writes)).toEqual(state);
    }
    expect(applyWrites(state, [{ op: 'remove', path: ['items', 3] }])).toEqual(state);
    expect(applyWrites(state, [{ op: 'remove', path: ['items', 0] }])).toEqual({ items: [] });
    expect(applyWrites(state, [{ op: 'set', path: ['items', 1], value: 2 }])).toEqual({
      items: [{ done: false }, 2],
    });
  });

  it('writes the whole state at the empty path', () => {
    expect(applyWrites({ a: 1 }, [{ op: 'set', path: [], value: { b: 2 } }])).toEqual({ b: 2 });
    expect(applyWrites({ a: 1 }, [{ op: 'remove', path: [] }])).toBeNull();
  });

  it('keeps dangerous keys as own data and never reaches a prototype', () => {
    const next = applyWrites({}, [
      { op: 'set', path: ['__proto__', 'polluted'], value: true },
      { op: 'set', path: ['constructor', 'prototype', 'polluted'], value: true },
      { op: 'append', path: ['a', '__proto__'], values: ['x'] },
    ]);
    expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(JSON.parse(JSON.stringify(next))).toEqual(next);
  });

  it('is pure, plain and safe for any writes', () => {
    const keys = Reflect.ownKeys(Object.prototype).length;
    fc.assert(
      fc.property(json, fc.array(write, { maxLength: 8 }), (state, writes) => {
        const before = structuredClone({ state, writes });
        const next = applyWrites(state, writes);
        expect({ state, writes }).toEqual(before);
        expect(JSON.parse(JSON.stringify(next))).toEqual(next);
        expect(Reflect.ownKeys(Object.prototype)).toHaveLength(keys);
      }),
    );
  });
});

describe('mergeWrites', () => {
  const append = (...values: JsonValue[]): StateWrite[] => [
    { op: 'append', path: ['log'], values },
  ];

  it('keeps every append, whatever the order of arrival', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(), { maxLength: 4 })), (lists) => {
        const base = { log: [-1] };
        const merged = mergeWrites(
          base,
          lists.map((values) => append(...values)),
        );
        expect(merged).toEqual({ log: [-1, ...lists.flat()] });
        const reversed = mergeWrites(
          base,
          lists.toReversed().map((values) => append(...values)),
        );
        const sorted = (state: JsonValue): number[] =>
          (state as { log: number[] }).log.toSorted((a, b) => a - b);
        expect(sorted(reversed)).toEqual(sorted(merged));
      }),
    );
  });

  it('lets the later of two replacements win', () => {
    const set = (value: JsonValue): StateWrite[] => [{ op: 'set', path: ['x'], value }];
    expect(mergeWrites({ x: 0 }, [set(1), set(2)])).toEqual({ x: 2 });
    expect(
      mergeWrites({ log: [] }, [[{ op: 'set', path: ['log'], value: ['a'] }], append('b')]),
    ).toEqual({
      log: ['a', 'b'],
    });
  });
});
