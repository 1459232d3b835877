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

/**
 * The same, and each parse of an input comes to another value: `parses` counts them. So a tool that runs with another parse than the
 * one a person was shown is found out.
 */
export function countingSchema<T extends object>(fields: Fields): Schema<T & { parses: number }> {
  const { validate } = objectSchema<T>(fields)['~standard'];
  const times = new Map<string, number>();
  return schema(
    (given) => {
      const result = validate(given) as { readonly value?: object };
      if (!result.value) return result;
      const text = JSON.stringify(given);
      const parses = (times.get(text) ?? 0) + 1;
      times.set(text, parses);
      return { value: { ...result.value, parses } };
    },
    { type: 'object' },
  );
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
