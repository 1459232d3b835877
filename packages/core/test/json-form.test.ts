import { describe, expect, it } from 'vitest';
import { editableInput } from '../src/store/editable-input.ts';
import { isPlainJson, jsonForm } from '../src/util/json-form.ts';

/** 2 to the power of `levels` leaves, in as many objects as levels. */
function sharedGraph(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level += 1) value = { left: value, right: value };
  return value;
}

/** The same with one leaf that counts how often it is looked at. */
function countingGraph(levels: number): { readonly graph: object; readonly seen: () => number } {
  let seen = 0;
  let graph: object = new Proxy({}, { ownKeys: () => ((seen += 1), []) });
  for (let level = 0; level < levels; level += 1) graph = { left: graph, right: graph };
  return { graph, seen: () => seen };
}

class Point {
  readonly x = 1;
}

const THROWS: PropertyDescriptor = {
  enumerable: true,
  get: () => {
    throw new Error('no');
  },
};

describe('isPlainJson', () => {
  it.each([
    ['isPlainJson', isPlainJson],
    ['jsonForm', jsonForm],
  ])('%s looks at 250,000 parts of a shared graph at most', (_name, look) => {
    const { graph, seen } = countingGraph(24);
    expect(look(graph)).toBeFalsy();
    expect(seen()).toBeGreaterThan(0);
    expect(seen()).toBeLessThan(250_000);
  });

  it.each([
    ['nested data', { a: [1, 'b', null, { c: true }], gone: undefined }, true],
    ['a Date', new Date(0), false],
    ['a Map', { a: new Map() }, false],
    ['a class instance', [new Point()], false],
    ['a value with toJSON', { toJSON: () => 1 }, false],
    ['a hole in a list', [undefined], false],
    ['NaN', Number.NaN, false],
    ['a bigint', 1n, false],
    ['a shared graph beyond any budget', sharedGraph(60), false],
    ['one long text a thousand times', Array(1_000).fill('x'.repeat(100_000)), false],
    ['a value whose getter throws', Object.defineProperty({}, 'a', THROWS), false],
  ])('says of %s whether JSON carries it whole', (_name, value, expected) => {
    expect(isPlainJson(value)).toBe(expected);
  });
});

describe('jsonForm', () => {
  it('gives a form to what has none of its own', () => {
    const value = { at: new Date(0), big: 7n, map: new Map([['a', 1n]]), set: new Set([1]) };
    expect(jsonForm(value)).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      big: '7',
      map: [['a', '1']],
      set: [1],
    });
  });

  it('gives none to a cycle, a function or a shared graph beyond any budget', () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    for (const value of [cycle, () => 1, sharedGraph(60)]) expect(jsonForm(value)).toBeUndefined();
  });
});

describe('editableInput', () => {
  it.each([
    ['equal', { a: 1 }, null, 'shown'],
    ['with defaults added', { a: 1, b: 2 }, { a: 1 }, 'shown'],
    ['with a field left out', { a: 1 }, { a: 1, b: 2 }, 'shown'],
    ['with a text trimmed', { a: ['x'] }, { a: [' x '] }, 'shown'],
    ['with a text read as a number', { a: { b: 1 } }, { a: { b: '1' } }, 'raw'],
    ['with a text read as a list', { a: ['x', 'y'] }, { a: 'x,y' }, 'raw'],
    ['with null replaced', { a: 'none' }, { a: null }, 'raw'],
  ])('is what is shown unless types differ: inputs %s', (_name, input, rawInput, expected) => {
    expect(editableInput({ input, rawInput })).toEqual(expected === 'raw' ? rawInput : input);
  });
});
