import { HelixError } from '../errors/helix-error.ts';
import type { JsonValue } from '../json.ts';
import { toJsonValue } from '../util/to-json-value.ts';

/** What is stored is plain data; anything else is refused by name. */
export function plainData(value: unknown, field: string): JsonValue {
  const converted = toJsonValue(value);
  if (converted.ok) return converted.value;
  throw new HelixError({
    code: 'state_unserializable',
    message: `${field} cannot be stored: ${converted.reason}. Keep plain data in it.`,
  });
}
