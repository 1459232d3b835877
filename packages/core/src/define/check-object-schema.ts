import { DefinitionError } from '../errors/setup-errors.ts';
import { checkSendable } from './check-sendable.ts';
import { checkShownSchema } from './check-options.ts';
import { toJsonSchema } from './json-schema.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Schema } from './types.ts';

/**
 * What a model sends for a call is an object with named fields: providers refuse tools that take anything else. That is the
 * input of a tool, and the output of an agent, which is handed in by a tool.
 */
export function checkObjectSchema(
  owner: string,
  option: 'inputSchema' | 'outputSchema',
  schema: unknown,
): void {
  checkShownSchema(owner, option, schema);
  checkSendable(owner, option, schema);
  const shown = shownNow(schema as Schema);
  if (shown === null) return;
  const choice = ['anyOf', 'oneOf', 'allOf'].find((key) => key in shown);
  if (choice && isObjectSchema(shown)) throw isChoice(owner, option);
  if (isObjectSchema(shown)) return;
  throw new DefinitionError(
    `${owner}: \`${option}\` must describe an object, and this one ${describe(shown)}; ${HINTS[option]}.`,
  );
}

/** The large providers refuse a tool whose input is described as a choice of objects. */
function isChoice(owner: string, option: string): DefinitionError {
  return new DefinitionError(
    `${owner}: \`${option}\` must describe one object, and this one is a union or an intersection, which providers refuse; put a union into a field, as in z.object({ request: z.union([…]) }), and merge objects with a.extend(b.shape).`,
  );
}

const HINTS = {
  inputSchema:
    'name the input, as in z.object({ query: z.string() }), and give a tool without input z.object({})',
  outputSchema: 'name the output, as in z.object({ answer: z.string() }), or leave it out for text',
} as const;

/** Null when it cannot be told yet: a schema may speak of one that is defined further down. */
function shownNow(schema: Schema): JsonObject | null {
  try {
    return toJsonSchema(schema);
  } catch {
    return null;
  }
}

function isObjectSchema(schema: JsonObject): boolean {
  if (schema['type'] !== undefined) return schema['type'] === 'object';
  if (schema['$ref'] !== undefined) return true;
  const parts = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'];
  return Array.isArray(parts) && parts.length > 0 && parts.every(isObjectPart);
}

function isObjectPart(part: JsonValue): boolean {
  const isSchema = typeof part === 'object' && part !== null && !Array.isArray(part);
  return isSchema && isObjectSchema(part as JsonObject);
}

function describe({ type }: JsonObject): string {
  return typeof type === 'string' ? `describes a value of type "${type}"` : 'takes anything';
}
