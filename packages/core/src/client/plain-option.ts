import { InvalidRequestError } from '../errors/request-errors.ts';
import { toJsonValue } from '../util/to-json-value.ts';

/** A copy of what a caller gave, as plain data. Refused by the path of what has no JSON form. */
export function plainOption<T>(path: string, given: T, maxBytes?: number): T {
  const converted = toJsonValue(given, maxBytes);
  if (converted.ok) return converted.value as T;
  const at = converted.path === '' ? path : `${path}.${converted.path}`;
  throw new InvalidRequestError([{ path: at, message: converted.reason }]);
}
