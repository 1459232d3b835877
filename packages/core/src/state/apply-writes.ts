import type { JsonValue } from '../json.ts';
import type { StatePath, StateWrite } from './state-write.ts';

type Container = readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/**
 * Applies writes in order to a copy; parts that no write touches are shared with `state`.
 *
 * - Missing parents are created. A parent of the wrong kind is replaced.
 * - A write to an array element that no longer exists is dropped: nothing is padded.
 * - Keys are own properties always, so no write reaches a prototype.
 */
export function applyWrites(state: JsonValue, writes: readonly StateWrite[]): JsonValue {
  return writes.reduce((current, write) => writeAt(current, write.path, write) ?? null, state);
}

/** Writes of several calls, in merge order: appends compose, of two replacements the later wins. */
export function mergeWrites(
  base: JsonValue,
  ordered: readonly (readonly StateWrite[])[],
): JsonValue {
  return ordered.reduce<JsonValue>((current, writes) => applyWrites(current, writes), base);
}

/** The own value at a path, undefined where there is none. */
export function valueAt(state: JsonValue | undefined, path: StatePath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(ownValue, state);
}

/** Undefined means: nothing here any more. */
function writeAt(
  value: JsonValue | undefined,
  path: StatePath,
  write: StateWrite,
): JsonValue | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return writeHere(value, write);
  if (write.op === 'remove' && ownValue(value, segment) === undefined) return value;
  if (typeof segment === 'number' && (Array.isArray(value) || !isContainer(value))) {
    return writeElement(value, segment, rest, write);
  }
  const key = String(segment);
  const parent = isRecord(value) ? value : {};
  const next = writeAt(ownValue(parent, key), rest, write);
  return next === undefined ? without(parent, key) : { ...parent, [key]: next };
}

function writeHere(value: JsonValue | undefined, write: StateWrite): JsonValue | undefined {
  switch (write.op) {
    case 'set':
      return write.value;
    case 'remove':
      return undefined;
    case 'append':
      return Array.isArray(value) ? [...value, ...write.values] : write.values;
  }
}

function writeElement(
  value: JsonValue | undefined,
  index: number,
  rest: StatePath,
  write: StateWrite,
): JsonValue | undefined {
  const elements: readonly JsonValue[] = Array.isArray(value) ? value : [];
  const mayAdd = rest.length === 0 || !Array.isArray(value);
  const exists = Number.isInteger(index) && index >= 0 && index < elements.length;
  if (!exists && !(mayAdd && index === elements.length)) return value;
  const next = writeAt(elements[index], rest, write);
  return next === undefined ? elements.toSpliced(index, 1) : elements.toSpliced(index, 1, next);
}

function without(
  parent: { readonly [key: string]: JsonValue | undefined },
  key: string,
): JsonValue {
  return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== key));
}

function ownValue(value: JsonValue | undefined, segment: string | number): JsonValue | undefined {
  if (!isContainer(value) || !Object.hasOwn(value, segment)) return undefined;
  if (Array.isArray(value)) return typeof segment === 'number' ? value[segment] : undefined;
  return isRecord(value) ? value[segment] : undefined;
}

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function isRecord(
  value: JsonValue | undefined,
): value is { readonly [key: string]: JsonValue | undefined } {
  return isContainer(value) && !Array.isArray(value);
}
