import type { JsonValue } from '../json.ts';
import type { StatePath, StateWrite } from './state-write.ts';

/** A write whose value is not yet known to be plain data. */
export type RawWrite =
  | { readonly op: 'set'; readonly path: StatePath; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: StatePath }
  | { readonly op: 'append'; readonly path: StatePath; readonly values: readonly unknown[] };

export interface DiffOptions {
  /** An array that only grew at its end becomes an `append`; else one `set` of the array. */
  readonly arrayDeltas: boolean;
  /** Whether the value at this path was assigned as a whole, even if it looks as if it had only grown. */
  readonly wasAssigned: (path: StatePath) => boolean;
}

/**
 * The writes that lead from one state to the next. No write's path is inside another's. What both
 * share by reference is not looked at.
 */
export function diffState(before: unknown, after: unknown, options: DiffOptions): RawWrite[] {
  return diffValue(before, after, [], options);
}

/** Merge order and journal need plain data: says which write is not. */
export function toStateWrites(
  writes: readonly RawWrite[],
  toPlain: (value: unknown, path: StatePath) => JsonValue,
): StateWrite[] {
  return writes.map((write) => {
    switch (write.op) {
      case 'set':
        return { ...write, value: toPlain(write.value, write.path) };
      case 'append':
        return { ...write, values: write.values.map((value) => toPlain(value, write.path)) };
      case 'remove':
        return write;
    }
  });
}

function diffValue(
  before: unknown,
  after: unknown,
  path: StatePath,
  options: DiffOptions,
): RawWrite[] {
  if (Object.is(before, after)) return [];
  if (path.length > 0 && options.wasAssigned(path)) return [{ op: 'set', path, value: after }];
  if (Array.isArray(before) && Array.isArray(after)) return diffArray(before, after, path, options);
  if (isPlainObject(before) && isPlainObject(after))
    return diffObject(before, after, path, options);
  return [{ op: 'set', path, value: after }];
}

function diffObject(
  before: { readonly [key: string]: unknown },
  after: { readonly [key: string]: unknown },
  path: StatePath,
  options: DiffOptions,
): RawWrite[] {
  const writes: RawWrite[] = [];
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && ownValue(after, key) === undefined) {
      writes.push({ op: 'remove', path: [...path, key] });
    }
  }
  for (const key of Object.keys(after)) {
    if (after[key] === undefined) continue;
    const keyPath = [...path, key];
    const previous = ownValue(before, key);
    if (previous === undefined) writes.push({ op: 'set', path: keyPath, value: after[key] });
    else writes.push(...diffValue(previous, after[key], keyPath, options));
  }
  return writes;
}

function diffArray(
  before: readonly unknown[],
  after: readonly unknown[],
  path: StatePath,
  options: DiffOptions,
): RawWrite[] {
  const replaced: RawWrite[] = [{ op: 'set', path, value: after }];
  const added = after.slice(before.length);
  if (after.length < before.length || (added.length > 0 && !options.arrayDeltas)) return replaced;
  const writes: RawWrite[] = [];
  for (const [index, element] of before.entries()) {
    if (Object.is(element, after[index])) continue;
    const inside = diffValue(element, after[index], [...path, index], options);
    if (inside.some((write) => write.path.length === path.length + 1)) return replaced;
    writes.push(...inside);
  }
  if (added.length > 0) writes.push({ op: 'append', path, values: added });
  return writes;
}

function ownValue(value: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
