import type { JsonValue } from '../json.ts';
import type { OpenCallRow } from './call-rows.ts';

/**
 * What a form for editing a call begins with: the input as it is shown, or the raw one where the tool's schema changes types, because
 * the form's fields follow the input schema. Defaults that the schema added and fields that it left out change no type.
 */
export function editableInput({
  input,
  rawInput,
}: Pick<OpenCallRow, 'input' | 'rawInput'>): JsonValue {
  return rawInput === null || hasSameTypes(rawInput, input) ? input : rawInput;
}

/** Whether values are of the same type wherever both have one. */
export function hasSameTypes(raw: JsonValue, shown: JsonValue): boolean {
  if (typeName(raw) !== typeName(shown)) return false;
  if (typeof raw !== 'object' || raw === null) return true;
  const others = new Map(Object.entries(shown as object)) as Map<string, JsonValue | undefined>;
  return Object.entries(raw).every(([key, inner]: [string, JsonValue | undefined]) => {
    const other = others.get(key);
    return inner === undefined || other === undefined || hasSameTypes(inner, other);
  });
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
