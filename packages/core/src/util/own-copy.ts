import type { JsonValue } from '../json.ts';

/** A copy that whoever gets it may change: a schema may hand back what it was given, or parts of it. */
export function ownCopy(value: JsonValue): JsonValue {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}
