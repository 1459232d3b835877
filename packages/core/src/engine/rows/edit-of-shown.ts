import type { Issue } from '../../errors/issue.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { hasSameTypes } from '../../store/editable-input.ts';
import type { OpenCallRow } from '../../store/rows.ts';
import { sameJson } from '../../util/same-json.ts';

type Shown = Pick<OpenCallRow, 'input' | 'rawInput'>;
type Part = JsonValue | undefined;

/**
 * A person edits the input that was shown, and the tool's schema reads the kind of input that a model writes. What the person left
 * as it was shown becomes the model's own input again, so that no transform is applied to it twice; what they changed is read as if
 * the model had written it. An edit with the types of the model's own input, where the shown types differ, is one of that input.
 */
export function rawOfEdit({ input: shown, rawInput: raw }: Shown, edit: JsonValue): JsonValue {
  if (raw === null) return edit;
  const isOfRaw = !hasSameTypes(raw, shown) && hasSameTypes(raw, edit);
  return isOfRaw ? edit : (rawPart(raw, shown, edit) ?? edit);
}

/** Undefined: the schema added this part, and adds it again. */
function rawPart(raw: Part, shown: Part, edit: JsonValue): Part {
  if (sameJson(shown, edit)) return raw;
  if (isObject(raw) && isObject(shown) && isObject(edit)) return rawObject(raw, shown, edit);
  if (Array.isArray(raw) && Array.isArray(shown) && Array.isArray(edit))
    return raw.length === shown.length ? rawList(raw, shown, edit) : edit;
  return ofTypeOf(raw, shown, edit);
}

function rawObject(raw: JsonObject, shown: JsonObject, edit: JsonObject): JsonObject {
  // Fields that the schema merged into others were not shown, so the person cannot have removed them.
  const unseen = Object.entries(raw).filter(
    ([key]) => !Object.hasOwn(shown, key) && !Object.hasOwn(edit, key),
  );
  const seen = Object.entries(edit).flatMap(([key, value]) => {
    const part = value === undefined ? value : rawPart(own(raw, key), own(shown, key), value);
    return part === undefined ? [] : [[key, part] as const];
  });
  return Object.fromEntries([...unseen, ...seen]);
}

/** An element that was moved is still the model's own. */
function rawList(
  raw: readonly JsonValue[],
  shown: readonly JsonValue[],
  edit: readonly JsonValue[],
): JsonValue[] {
  return edit.map((value, at) => {
    const same = sameJson(shown[at], value)
      ? at
      : shown.findIndex((element) => sameJson(element, value));
    return rawPart(raw[same === -1 ? at : same], shown[same === -1 ? at : same], value) ?? value;
  });
}

/** A number for which the model wrote a text is written as a text, and the other way round. */
function ofTypeOf(raw: Part, shown: Part, edit: JsonValue): JsonValue {
  if (typeof raw === typeof shown || typeof edit !== typeof shown) return edit;
  if (typeof raw === 'string' && typeof edit !== 'object') return String(edit);
  if (typeof raw !== 'number' || typeof edit !== 'string' || edit.trim() === '') return edit;
  const number = Number(edit);
  return Number.isFinite(number) ? number : edit;
}

/** Edits without effect: fields that the schema computes from others. `read` is the schema's output for the whole edit. */
export function editsInVain({ input, rawInput }: Shown, edit: JsonValue, read: JsonValue): Issue[] {
  return rawInput === null ? [] : inVain([rawInput, input, edit, read], '');
}

function inVain([raw, shown, edit, read]: readonly Part[], path: string): Issue[] {
  if (!isObject(shown) || !isObject(edit) || !isObject(read)) return [];
  const from = isObject(raw) ? raw : {};
  return Object.entries(edit).flatMap(([key, value]) => {
    const [was, is] = [own(shown, key), own(read, key)];
    if (value === undefined || was === undefined || sameJson(was, value)) return [];
    const at = path === '' ? key : `${path}.${key}`;
    if (Object.hasOwn(from, key)) return inVain([own(from, key), was, value, is], at);
    return sameJson(was, is) ? [{ path: at, message: MADE }] : [];
  });
}

const MADE = "cannot be edited: the tool's schema makes it of the other fields; edit those";

function isObject(value: Part): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: JsonObject, key: string): Part {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
