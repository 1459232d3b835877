import type { JsonValue } from '../json.ts';

/**
 * Characters after which a value counts as one without a JSON form. A node counts as several, as it does in memory: a walk
 * ends after 250,000 of them, which is as many as a request may have.
 */
const BUDGET = 16_000_000;
const NODE = 64;
const MAX_DEPTH = 200;

/** Whether JSON carries the value whole: plain objects, lists, texts, finite numbers. A property that is undefined counts as absent. */
export function isPlainJson(value: unknown): value is JsonValue {
  try {
    return new Walk().isPlain(value, 0);
  } catch {
    return false;
  }
}

/**
 * The form in which a person is shown a value that JSON cannot carry. What has a `toJSON` is asked for it, a bigint becomes its
 * digits, a Map or Set the list of its entries. Undefined where there is none: a cycle, a function, too much of it or too deep.
 */
export function jsonForm(value: unknown): JsonValue | undefined {
  const walk = new Walk();
  try {
    const text: string | undefined = JSON.stringify(value, (_key, inner: unknown) => {
      walk.spend(inner);
      if (typeof inner === 'bigint') return String(inner);
      return inner instanceof Map || inner instanceof Set ? [...inner] : inner;
    });
    const form: unknown = text === undefined ? undefined : JSON.parse(text);
    return isPlainJson(form) ? form : undefined;
  } catch {
    return undefined;
  }
}

/** One walk over a value, which ends when the budget is spent: a value may refer to a part of itself many times. */
class Walk {
  #left = BUDGET;

  spend(value: unknown): void {
    this.#left -= NODE + (typeof value === 'string' ? value.length : 0);
    if (this.#left < 0) throw new RangeError('The value is too large.');
  }

  isPlain(value: unknown, depth: number): boolean {
    this.spend(value);
    if (depth > MAX_DEPTH) return false;
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return true;
      case 'number':
        return Number.isFinite(value);
      case 'object':
        return value === null || this.#isPlainObject(value, depth);
      case 'undefined':
      case 'bigint':
      case 'symbol':
      case 'function':
        return false;
    }
  }

  #isPlainObject(value: object, depth: number): boolean {
    if (Array.isArray(value)) return value.every((inner) => this.isPlain(inner, depth + 1));
    const prototype: unknown = Object.getPrototypeOf(value);
    if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return false;
    return Object.entries(value).every(
      ([key, inner]) =>
        key !== '__proto__' && (inner === undefined || this.isPlain(inner, depth + 1)),
    );
  }
}
