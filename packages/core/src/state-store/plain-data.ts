import { HelixError } from '../errors/helix-error.ts';
import type { JsonValue } from '../json.ts';
import { describeFault, toJsonValue } from '../util/to-json-value.ts';

/** Only plain data is stored; anything else is refused with an error that names it. */
export function plainData<T = JsonValue>(value: unknown, field: string, maxBytes?: number): T {
  const converted = toJsonValue(value, maxBytes);
  if (converted.ok) return converted.value as T;
  throw new HelixError({
    code: 'state_unserializable',
    message: `${field} cannot be stored: ${describeFault(converted)}. Keep plain data in it.`,
  });
}
