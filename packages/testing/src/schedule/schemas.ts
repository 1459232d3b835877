import type { JsonObject, Schema } from '@helix-agents/core';

type Fields = Readonly<Record<string, 'string' | 'number' | 'strings'>>;

/** A Standard Schema of an object with plain fields. Fields with a default may be missing. */
export function objectSchema<T extends object>(
  fields: Fields,
  defaults: JsonObject = {},
): Schema<T> {
  const validate = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return { issues: [{ message: 'no object' }] };
    const given = { ...defaults, ...value } as Record<string, unknown>;
    const wrong = Object.entries(fields).find(([name, type]) => !fits(given[name], type));
    return wrong
      ? { issues: [{ message: `must be ${wrong[1]}`, path: [wrong[0]] }] }
      : { value: structuredClone(given) };
  };
  return schema<T>(validate, { type: 'object' });
}

export function textSchema(): Schema<string> {
  const validate = (value: unknown): unknown =>
    typeof value === 'string' ? { value } : { issues: [{ message: 'must be a string' }] };
  return schema<string>(validate, { type: 'string' });
}

function fits(value: unknown, type: Fields[string]): boolean {
  if (type !== 'strings') return typeof value === type;
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function schema<T>(validate: (value: unknown) => unknown, jsonSchema: JsonObject): Schema<T> {
  const standard = {
    version: 1 as const,
    vendor: 'helix-testing',
    validate,
    jsonSchema: { input: () => jsonSchema },
  };
  return { '~standard': standard };
}
