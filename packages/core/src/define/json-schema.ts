import { DefinitionError } from '../errors/setup-errors.ts';
import { errorMessage } from '../errors/helix-error.ts';
import type { JsonObject } from '../json.ts';
import type { Schema } from './types.ts';

const cache = new WeakMap<Schema, JsonObject>();

/** JSON Schema of what a schema takes in. Parts that have none (dates, transforms) accept anything there. */
export function toJsonSchema(schema: Schema): JsonObject {
  const known = cache.get(schema);
  if (known) return known;
  const { $schema: _dialect, ...converted } = JSON.parse(JSON.stringify(convert(schema)));
  cache.set(schema, converted);
  return converted;
}

/** The two ways a schema may know its JSON Schema: a method of its own, or the standard's. */
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
    if (typeof source.toJSONSchema === 'function') {
      return source.toJSONSchema({ unrepresentable: 'any', io: 'input' });
    }
    if (typeof jsonSchema?.input === 'function') {
      const libraryOptions = { unrepresentable: 'any' };
      return jsonSchema.input({ target: 'draft-2020-12', libraryOptions });
    }
  } catch (error) {
    throw new DefinitionError(
      `A ${vendor} schema could not be turned into JSON Schema: ${errorMessage(error)}`,
      error,
    );
  }
  throw new DefinitionError(
    `A ${vendor} schema cannot say its JSON Schema; use zod 4.2 or newer, or a Standard Schema with "~standard".jsonSchema.`,
  );
}
