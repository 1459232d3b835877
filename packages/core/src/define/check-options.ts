import { DefinitionError } from '../errors/setup-errors.ts';
import type { Schema } from './types.ts';

/** The longest a timer of a process can wait; it would fire at once beyond that. */
const LONGEST_TIMER_MS = 2_147_483_647;
const LONGEST_DEADLINE_MS = 100 * 365 * 24 * 3_600_000;

/** `leftOut` says what holds without the option. */
export function checkTimer(
  owner: string,
  option: string,
  value: number | undefined,
  leftOut: string = 'to wait without a limit',
): void {
  if (value !== undefined)
    checkRange(owner, option, value, LONGEST_TIMER_MS, `leave it out ${leftOut}`);
}

/** A wait measured by the store's clock, or `'never'`. */
export function checkDeadline(
  owner: string,
  option: string,
  value: number | 'never' | undefined,
): void {
  if (value === undefined || value === 'never') return;
  checkRange(owner, option, value, LONGEST_DEADLINE_MS, `say 'never' to wait without a limit`);
}

export function checkSchema(
  owner: string,
  option: string,
  schema: unknown,
): asserts schema is Schema {
  const standard: unknown =
    (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
      ? Reflect.get(schema, '~standard')
      : undefined;
  if (typeof standard === 'object' && standard !== null) return;
  throw new DefinitionError(
    `${owner}: \`${option}\` must be a schema (zod 4 or another Standard Schema).`,
  );
}

/** A schema that a model is shown: one that cannot say its JSON Schema would fail every run. */
export function checkShownSchema(owner: string, option: string, schema: unknown): void {
  checkSchema(owner, option, schema);
  const { jsonSchema } = schema['~standard'] as {
    readonly jsonSchema?: { readonly input?: unknown };
  };
  const says =
    '_zod' in schema ||
    typeof Reflect.get(schema, 'toJSONSchema') === 'function' ||
    typeof jsonSchema?.input === 'function';
  if (says) return;
  throw new DefinitionError(
    `${owner}: \`${option}\` cannot say its JSON Schema, which the model is shown; use zod 4 (zod 3 cannot), or a Standard Schema with "~standard".jsonSchema.`,
  );
}

function checkRange(
  owner: string,
  option: string,
  value: number,
  longest: number,
  otherwise: string,
): void {
  if (typeof value === 'number' && value > 0 && value <= longest) return;
  throw new DefinitionError(
    `${owner}: \`${option}\` must be a number of milliseconds above 0 and at most ${longest}, not ${typeof value === 'number' ? value : `a ${typeof value}`}; ${otherwise}.`,
  );
}
