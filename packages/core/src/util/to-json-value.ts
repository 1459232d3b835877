import { errorMessage } from '../errors/helix-error.ts';
import type { JsonValue } from '../json.ts';

export type JsonConversion =
  | { readonly ok: true; readonly value: JsonValue; readonly bytes: number }
  | {
      readonly ok: false;
      /** Where in the value, as `items.3.price`; empty for the value itself. */
      readonly path: string;
      readonly reason: string;
      readonly isTooLarge: boolean;
    };

/** Upper limit for every value of the application that becomes JSON, even if its own limit is higher. */
export const MAX_JSON_BYTES = 16_000_000;

const MAX_DEPTH = 1_000;
/** Characters of a path in an error. */
const MAX_PATH = 200;
/** Values that are looked at: many that are small, or left out, cost time and few bytes. */
const MAX_PARTS = 2_000_000;

/**
 * A value as plain data, with its size as UTF-8 JSON. The value handed back shares nothing with the one handed in. Never
 * throws, and stops as soon as `maxBytes` are exceeded: a small object that contains the same parts again and again is as
 * large as its JSON.
 *
 * As in JSON, `toJSON` is called (a `Date` becomes its text), a field that is undefined is left out, and undefined is null in
 * a list and by itself. What JSON would lose in silence is refused: functions, symbols, NaN, `Map`, `Set`, binary data and
 * other instances of classes without `toJSON`.
 */
export function toJsonValue(value: unknown, maxBytes: number = MAX_JSON_BYTES): JsonConversion {
  const walk = new JsonWalk(maxBytes);
  try {
    return { ok: true, value: walk.item(value), bytes: walk.bytes };
  } catch (error) {
    const isTooLarge = error instanceof TooLarge;
    return { ok: false, path: walk.path(), reason: errorMessage(error), isTooLarge };
  }
}

/** Why there is no JSON, with the place in the value. */
export function describeFault({
  path,
  reason,
}: Extract<JsonConversion, { readonly ok: false }>): string {
  return path === '' ? reason : `${path}: ${reason}`;
}

class TooLarge extends Error {}

class JsonWalk {
  bytes = 0;
  readonly #maxBytes: number;
  #parts = 0;
  /** The objects that are being visited, outermost first. */
  readonly #open = new Set<object>();
  readonly #keys: (string | number)[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  path(): string {
    const path = this.#keys.join('.');
    return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
  }

  /** A value that has a place even if it is undefined. */
  item(value: unknown, key: string | number = ''): JsonValue {
    const made = this.#visit(value, key);
    return made === undefined ? this.#null() : made;
  }

  #visit(given: unknown, key: string | number): JsonValue | undefined {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) this.#refuse(`it has more than ${MAX_PARTS} parts`);
    const value = isObject(given) && hasToJson(given) ? given.toJSON(String(key)) : given;
    switch (typeof value) {
      case 'string':
        this.#addText(value);
        return value;
      case 'number':
        return this.#number(value);
      case 'boolean':
        this.#add(value ? 4 : 5);
        return value;
      case 'undefined':
        return undefined;
      case 'object':
        return value === null ? this.#null(given) : this.#object(value);
      case 'bigint':
        throw new TypeError('a bigint has no JSON form; make it a string');
      case 'function':
      case 'symbol':
        throw new TypeError(`a ${typeof value} has no JSON form`);
    }
  }

  #null(given?: unknown): null {
    if (given instanceof Date) throw new TypeError('an invalid Date has no JSON form');
    this.#add(4);
    return null;
  }

  #number(value: number): number {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form; use null`);
    this.#add(String(value).length);
    // -0 becomes 0, as in JSON.
    return value + 0;
  }

  #object(value: object): JsonValue {
    if (this.#open.has(value)) throw new TypeError('it contains itself');
    if (this.#open.size >= MAX_DEPTH)
      throw new TypeError(`it is nested more than ${MAX_DEPTH} levels deep`);
    this.#add(2);
    this.#open.add(value);
    const made = Array.isArray(value) ? this.#list(value) : this.#record(value);
    this.#open.delete(value);
    return made;
  }

  #list(values: readonly unknown[]): JsonValue {
    const made: JsonValue[] = [];
    for (let index = 0; index < values.length; index += 1) {
      if (index > 0) this.#add(1);
      this.#keys.push(index);
      made.push(this.item(values[index], index));
      this.#keys.pop();
    }
    return made;
  }

  #record(source: object): JsonValue {
    refuseInstance(source);
    const made: Record<string, JsonValue> = {};
    let isFirst = true;
    for (const key of Object.keys(source)) {
      this.#keys.push(key);
      const value = this.#visit(Reflect.get(source, key), key);
      if (value !== undefined) {
        this.#add(isFirst ? 1 : 2);
        this.#addText(key);
        isFirst = false;
        setOwn(made, key, value);
      }
      this.#keys.pop();
    }
    return made;
  }

  #addText(text: string): void {
    // At least that long, and then it need not be looked at.
    if (this.bytes + text.length + 2 > this.#maxBytes) this.#add(text.length + 2);
    this.#add(ESCAPED.test(text) ? utf8Length(JSON.stringify(text)) : text.length + 2);
  }

  #add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.#maxBytes)
      this.#refuse(`it has more than ${this.#maxBytes} bytes as JSON`);
  }

  /** The whole is too large, wherever that was noticed. */
  #refuse(reason: string): never {
    this.#keys.length = 0;
    throw new TooLarge(reason);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return typeof Reflect.get(value, 'toJSON') === 'function';
}

/** Plain objects of any realm have a prototype that has none itself. */
function refuseInstance(value: object): void {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return;
  const name = (prototype.constructor as { name?: string } | undefined)?.name || 'class instance';
  const what = `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
  throw new TypeError(
    `${what} has no JSON form; make it a plain object or a list, or give it toJSON()`,
  );
}

/** Also a key that would otherwise set the prototype. */
function setOwn(made: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== '__proto__') made[key] = value;
  else
    Object.defineProperty(made, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

/** What JSON writes with a backslash, and what has more than one byte. */
const ESCAPED = /[^ !#-[\]-~]/;

export function utf8Length(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    const next = unit >= 0xd800 && unit < 0xdc00 ? text.charCodeAt(index + 1) : 0;
    if (next >= 0xdc00 && next < 0xe000) {
      bytes += 2;
      index += 1;
    } else {
      bytes += unit < 0x800 ? 1 : 2;
    }
  }
  return bytes;
}

/** Control characters, which JSON never has, are also counted one by one. */
const BEYOND_ASCII = /[^ -~]/;
