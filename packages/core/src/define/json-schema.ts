import { toJSONSchema, type $ZodType } from 'zod/v4/core';
import { DefinitionError } from '../errors/setup-errors.ts';
import { errorMessage } from '../errors/helix-error.ts';
import type { JsonObject } from '../json.ts';
import type { Schema } from './types.ts';

const ZOD_OPTIONS = { unrepresentable: 'any', io: 'input' } as const;
const cache = new WeakMap<Schema, JsonObject>();

/** JSON Schema of what a schema takes in. Parts that have none (dates, transforms) accept anything there. */
export function toJsonSchema(schema: Schema): JsonObject {
  const known = cache.get(schema);
  if (known) return known;
  const { $schema: _dialect, ...converted } = JSON.parse(JSON.stringify(convert(schema)));
  cache.set(schema, converted);
  return converted;
}

/** The ways a schema may know its JSON Schema: a method of its own, or the standard's. */
interface Convertible {
  readonly toJSONSchema?: (options: object) => unknown;
  readonly '~standard': {
    readonly vendor: string;
    readonly jsonSchema?: { readonly input?: (options: object) => unknown };
  };
}

function convert(schema: Schema): unknown {
  const source = schema as unknown as Convertible;
  const { vendor, jsonSchema } = source['~standard'];
  try {
    if (typeof source.toJSONSchema === 'function') return source.toJSONSchema(ZOD_OPTIONS);
    if ('_zod' in schema) return toJSONSchema(schema as unknown as $ZodType, ZOD_OPTIONS);
    if (typeof jsonSchema?.input === 'function') {
      return jsonSchema.input({ target: 'draft-2020-12' });
    }
  } catch (error) {
    throw new DefinitionError(
      `A ${vendor} schema could not be turned into JSON Schema: ${errorMessage(error)}`,
      error,
    );
  }
  throw new DefinitionError(
    `A ${vendor} schema cannot say its JSON Schema; use zod 4, or a Standard Schema with "~standard".jsonSchema.`,
  );
}
