import type { JsonObject, JsonValue } from '@helix-agents/core';

const closed = new WeakMap<JsonObject, JsonObject>();

/** A schema as strict tools need it: no object takes properties it does not name. Converted once per schema. */
export function closeSchema(schema: JsonObject): JsonObject {
  const known = closed.get(schema);
  if (known) return known;
  const made = close(schema) as JsonObject;
  closed.set(schema, made);
  return made;
}

/** Keys whose values are names mapped to schemas: a property may itself be called `properties`. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
]);
/** Keys whose values are data. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);

function close(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const made: Record<string, JsonValue | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || DATA.has(key)) made[key] = value;
    else made[key] = MAPS.has(key) ? closeEach(value) : close(value);
  }
  const { type, properties } = schema as JsonObject;
  const isObject = type === 'object' || properties !== undefined;
  if (isObject && made['additionalProperties'] === undefined) made['additionalProperties'] = false;
  return made;
}

function closeEach(schemas: JsonValue): JsonValue {
  if (typeof schemas !== 'object' || schemas === null || Array.isArray(schemas)) return schemas;
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, close(schema ?? null)]),
  );
}
