/** As much of JSON Schema as fields are made from. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

export type Kind =
  | 'text'
  | 'long-text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'date-time'
  | 'choice'
  | 'choices'
  | 'list'
  | 'object'
  | 'json';

const LONG = 80;

/** Which field fits. A value tells it where the schema does not. */
export function kindOf(schema: JsonSchema, value: unknown): Kind {
  if (schema.enum) return 'choice';
  switch (schema.type ?? typeOf(value)) {
    case 'boolean':
      return 'boolean';
    case 'number':
    case 'integer':
      return 'number';
    case 'string':
      return textKind(schema, value);
    case 'array':
      return schema.items?.enum ? 'choices' : 'list';
    case 'object':
      return schema.properties || isObject(value) ? 'object' : 'json';
    default:
      return 'json';
  }
}

function textKind({ format, maxLength = 0 }: JsonSchema, value: unknown): Kind {
  if (format === 'date' || format === 'date-time') return format;
  const long = maxLength > LONG || (typeof value === 'string' && value.length > LONG);
  return long ? 'long-text' : 'text';
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** `null` is an empty field, not a kind of its own. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const options = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (options?.length !== 1) return schema;
  const { anyOf: _, ...rest } = schema;
  return { ...options[0], ...rest };
}

/** The properties of an object: those of its schema first, in its order, then what else it has. */
export function propertiesOf(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): readonly { readonly name: string; readonly schema: JsonSchema; readonly required: boolean }[] {
  const { properties = {}, required = [] } = schema;
  const names = new Set([...Object.keys(properties), ...Object.keys(value)]);
  return [...names].map((name) => ({
    name,
    schema: withoutNull(properties[name] ?? {}),
    required: required.includes(name),
  }));
}

/** What a new item of a list begins with. */
export function emptyOf(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  const kind = kindOf(schema, undefined);
  if (kind === 'choice') return schema.enum?.[0];
  if (kind === 'boolean') return false;
  if (kind === 'number') return schema.minimum ?? 0;
  if (kind === 'list' || kind === 'choices') return [];
  if (kind !== 'object') return '';
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, emptyOf(properties[name] ?? {})]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
