import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';

export interface Schema {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

const ajv = new Ajv2020({ strict: false });
const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, {}, [], '', -1));

/** Values that a schema of the document describes, of what `hints` has for a name too. */
export function valuesOf(schema: Schema, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each, hints, name)));
  switch (schema.type) {
    case undefined:
      return anything;
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'string': {
      const fits = ajv.compile<string>(schema);
      const hinted = (hints[name] ?? []).filter((value) => fits(value));
      const made = textOf(schema).filter((value) => fits(value));
      return hinted.length > 0 ? fc.oneof(fc.constantFrom(...hinted), made) : made;
    }
    case 'array': {
      const { items = {}, minItems: minLength = 0 } = schema;
      return fc.array(valuesOf(items, hints, name), { minLength, maxLength: minLength + 2 });
    }
    case 'object':
      return objectOf(schema, hints);
    default:
      throw new Error(`the document has a type that nobody makes values of: ${schema.type}`);
  }
}

/** Values it does not describe: mostly one of those it does, with one thing about it changed or left out. */
export function othersThan(schema: Schema, hints: Hints): fc.Arbitrary<unknown> {
  const fits = ajv.compile(schema);
  const changed = fc
    .tuple(
      valuesOf(schema, hints),
      fc.constantFrom(...Object.keys(schema.properties ?? {}), ''),
      fc.oneof(anything, fc.string({ minLength: 257, maxLength: 300 })),
    )
    .map(([value, name, other]) =>
      typeof value === 'object' && value !== null && name !== ''
        ? { ...value, [name]: other }
        : other,
    );
  const lacking = (schema.required ?? []).map((name) =>
    valuesOf(schema, hints).map((value) =>
      Object.fromEntries(Object.entries(value as object).filter(([each]) => each !== name)),
    ),
  );
  return fc.oneof(changed, ...lacking, anything).filter((value) => !fits(value));
}

/** Words that lead further than chance would, by the name of the field. */
export type Hints = { readonly [name: string]: readonly string[] };

function textOf({ pattern, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  const text = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) });
  return pattern === undefined ? text : fc.oneof(fc.stringMatching(new RegExp(pattern, 'u')), text);
}

function objectOf(schema: Schema, hints: Hints): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const known = fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, valuesOf(each, hints, name)]),
    ),
    { requiredKeys: [...required] },
  );
  if (!additionalProperties) return known;
  const names = propertyNames ? textOf(propertyNames) : fc.string({ maxLength: 10 });
  const further = fc.dictionary(names, valuesOf(additionalProperties, hints), { maxKeys: 2 });
  return fc.tuple(further, known).map(([more, own]) => ({ ...more, ...(own as object) }));
}
