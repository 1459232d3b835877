import { HelixError } from '../errors/helix-error.ts';
import type { Issue } from '../errors/issue.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { describeFault, toJsonValue } from '../util/to-json-value.ts';
import { parseWith, type Parse, type ParseResult } from './parse-with.ts';
import type { AgentConfig, Schema } from './types.ts';

/** The state of a new session: the schema's defaults with what the caller gave, as plain data. */
export async function initialState(
  agent: Pick<AgentConfig, 'name' | 'stateSchema'>,
  given: JsonObject = {},
  parse: Parse = parseWith,
): Promise<JsonValue> {
  if (!agent.stateSchema) return plain(agent.name, given);
  const parsed = await parse(agent.stateSchema, given);
  if (parsed.ok) return plain(agent.name, parsed.value);
  throw refusal(parsed.issues);
}

/**
 * The fields that a later turn replaces, parsed together with the stored ones. Only faults in the given fields are refused:
 * stored fields may still have the form of an older schema.
 */
export async function replacedState(
  agent: Pick<AgentConfig, 'name' | 'stateSchema'>,
  stored: JsonValue,
  given: JsonObject,
  parse: Parse = parseWith,
): Promise<JsonObject> {
  const fields = plain(agent.name, given) as JsonObject;
  if (!agent.stateSchema) return fields;
  const base = await withStateDefaults(agent, stored, parse);
  const parsed = await parse(agent.stateSchema, { ...(base as JsonObject), ...fields });
  if (parsed.ok) return pick(plain(agent.name, parsed.value), fields);
  const own = parsed.issues.filter(({ path }) => isOf(path, fields));
  if (own.length > 0) throw refusal(own);
  return fields;
}

function pick(state: JsonValue, fields: JsonObject): JsonObject {
  const kept = isRecord(state) ? Object.entries(state) : [];
  return Object.fromEntries(kept.filter(([key]) => Object.hasOwn(fields, key)));
}

/** Whether a fault concerns the given fields. One of the state as a whole does. */
function isOf(path: string, fields: JsonObject): boolean {
  return path === '' || Object.keys(fields).some((key) => `${path}.`.startsWith(`${key}.`));
}

function refusal(issues: readonly Issue[]): InvalidRequestError {
  return new InvalidRequestError(issues.map((issue) => ({ ...issue, path: prefixed(issue.path) })));
}

/** Stored state as a changed definition needs it: fields it lacks get their default, the rest stays. */
export async function withStateDefaults(
  agent: Pick<AgentConfig, 'name' | 'stateSchema'>,
  stored: JsonValue,
  parse: Parse = parseWith,
): Promise<JsonValue> {
  if (!agent.stateSchema || !isRecord(stored)) return stored;
  const known = defaultKeys.get(agent.stateSchema);
  if (known?.every((key) => Object.hasOwn(stored, key))) return stored;
  const parsed = await parse(agent.stateSchema, {});
  return fillIn(agent.name, agent.stateSchema, stored, parsed);
}

function fillIn(
  agentName: string,
  schema: Schema,
  stored: JsonObject,
  parsed: ParseResult,
): JsonValue {
  const defaults = parsed.ok ? plain(agentName, parsed.value) : {};
  if (!isRecord(defaults)) return stored;
  const keys = Object.keys(defaults);
  defaultKeys.set(schema, keys);
  return keys.every((key) => Object.hasOwn(stored, key)) ? stored : { ...defaults, ...stored };
}

/** Which fields a schema fills in, so that a whole state is not parsed again at every step. */
const defaultKeys = new WeakMap<object, readonly string[]>();

function plain(agentName: string, state: unknown): JsonValue {
  const converted = toJsonValue(state);
  if (converted.ok) return converted.value;
  throw new HelixError({
    code: 'state_unserializable',
    message: `The state of agent "${agentName}" is no plain data (${describeFault(converted)}); keep JSON values in it.`,
  });
}

function prefixed(path: string): string {
  return path === '' ? 'state' : `state.${path}`;
}

function isRecord(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
