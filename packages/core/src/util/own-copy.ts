import type { JsonValue } from '../json.ts';

const MAX_DEPTH = 200;

/** A copy that its receiver may change: a schema may hand back what it was given, or parts of it. */
export function ownCopy(value: JsonValue): JsonValue {
  return copy(value, 0);
}

function copy(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return JSON.parse(JSON.stringify(value)) as JsonValue;
  if (Array.isArray(value)) return value.map((inner: JsonValue) => copy(inner, depth + 1));
  const made = { ...(value as Record<string, JsonValue>) };
  for (const key in made) made[key] = copy(made[key] as JsonValue, depth + 1);
  return made;
}
