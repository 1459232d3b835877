import { DefinitionError } from '../errors/setup-errors.ts';

/** What zod says about a schema of its own, as far as it is looked at here. */
interface ZodDef {
  readonly type: string;
  readonly coerce?: boolean;
  readonly shape?: { readonly [key: string]: object };
  readonly element?: object;
  readonly innerType?: object;
  readonly valueType?: object;
  readonly options?: readonly object[];
  readonly items?: readonly object[];
  readonly left?: object;
  readonly right?: object;
  readonly in?: object;
  readonly getter?: () => object;
}

interface Unsendable {
  readonly path: string;
  readonly type: string;
}

/** What to use for a type that JSON does not have. */
const INSTEAD: { readonly [type: string]: string } = {
  date: 'z.iso.datetime(), or z.coerce.date() for a Date',
  bigint: 'z.int(), or z.coerce.bigint() for a bigint',
  map: 'z.record(z.string(), …)',
  set: 'z.array(…)',
  symbol: 'z.enum([…])',
  function: 'a value that JSON can carry',
  file: 'z.string() with an id or an address',
  promise: 'the value itself',
};

/** A model and a client send JSON: a part that accepts only what JSON cannot carry would refuse every call. */
export function checkSendable(owner: string, option: string, schema: unknown): void {
  const found = findUnsendable(schema, '', new Set());
  if (!found) return;
  const { path, type } = found;
  const at = path === '' ? '' : ` at "${path}"`;
  throw new DefinitionError(
    `${owner}: \`${option}\` has a z.${type}()${at}, and what is sent is JSON, which has no ${type}; use ${INSTEAD[type]}.`,
  );
}

function findUnsendable(schema: unknown, path: string, seen: Set<unknown>): Unsendable | null {
  const def = defOf(schema);
  if (!def || seen.has(schema)) return null;
  seen.add(schema);
  if (Object.hasOwn(INSTEAD, def.type)) return def.coerce ? null : { path, type: def.type };
  if (def.type === 'union') {
    // One that can be sent is enough.
    const all = (def.options ?? []).map((option) => findUnsendable(option, path, new Set(seen)));
    return all.every((one) => one !== null) ? (all[0] ?? null) : null;
  }
  for (const [name, part] of partsOf(def)) {
    const at = name === '' ? path : path === '' ? name : `${path}.${name}`;
    const found = findUnsendable(part, at, seen);
    if (found) return found;
  }
  return null;
}

/** The schema that reads the raw value. The result of a later transform may be anything. */
function partsOf(def: ZodDef): readonly (readonly [string, unknown])[] {
  // It takes anything, and replaces what does not fit.
  if (def.type === 'catch') return [];
  const itself = [def.innerType, def.left, def.right, def.in, definedLater(def)];
  return [
    ...Object.entries(def.shape ?? {}),
    ['[]', def.element],
    ['{}', def.valueType],
    ...(def.items ?? []).map((item, index) => [`${index}`, item] as const),
    ...itself.map((part) => ['', part] as const),
  ];
}

/** A schema may speak of one that is defined further down. */
function definedLater({ getter }: ZodDef): unknown {
  try {
    return getter?.();
  } catch {
    return undefined;
  }
}

function defOf(schema: unknown): ZodDef | null {
  if (typeof schema !== 'object' || schema === null || !('_zod' in schema)) return null;
  return (schema._zod as { readonly def?: ZodDef }).def ?? null;
}
