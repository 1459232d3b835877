import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frozenCopy } from '../src/util/frozen-copy.ts';

const throughJson = (value: unknown): unknown => {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
};

it('frozenCopy copies whatever there is as JSON would', () => {
  fc.assert(
    fc.property(
      fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true }),
      (value) => {
        expect(frozenCopy(value)).toStrictEqual(throughJson(value));
      },
    ),
    { numRuns: 2_000 },
  );
});

it.each([
  { at: new Date(0), none: undefined, no: Number.NaN, minus: -0, call: () => 1 },
  [undefined, () => 1, Symbol('x'), Infinity],
  JSON.parse('{"__proto__": {"evil": true}, "a": {"__proto__": 1}}'),
  { toJSON: () => ({ said: 1 }) },
  {
    deep: {
      map: new Map([[1, 2]]),
      set: new Set([1]),
      own: new (class {
        x = 1;
      })(),
    },
  },
  { text: '\u0000 and \ud800' },
])('keeps the rules of JSON: %#', (value) => {
  expect(JSON.stringify(frozenCopy(value))).toBe(JSON.stringify(value));
});

it('frozenCopy refuses what JSON refuses', () => {
  expect(() => frozenCopy({ n: 1n })).toThrow(TypeError);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(() => frozenCopy(circle)).toThrow(TypeError);
});

it('frozenCopy shares nothing with its source and cannot be changed, however deep', () => {
  let value: unknown = 'leaf';
  for (let depth = 0; depth < 1_000; depth += 1) value = depth % 2 ? [value] : { value };
  let copy = frozenCopy(value);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
  while (typeof copy === 'object' && copy !== null) {
    expect(Object.isFrozen(copy)).toBe(true);
    copy = Object.values(copy)[0];
  }
});
