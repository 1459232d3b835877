import { errorMessage } from '../errors/helix-error.ts';
import type { Issue } from '../errors/issue.ts';
import type { Schema } from './types.ts';

export type ParseResult<Output = unknown> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export type Parse = <Output>(
  schema: Schema<Output>,
  value: unknown,
) => Promise<ParseResult<Output>>;

/** Parses a value by any Standard Schema. One that throws counts as one that refuses. */
export async function parseWith<Output>(
  schema: Schema<Output>,
  value: unknown,
): Promise<ParseResult<Output>> {
  try {
    if (isZod(schema)) return readZod<Output>(await schema.safeParseAsync(value));
    return readValidation<Output>(await schema['~standard'].validate(value));
  } catch (error) {
    return refusal(error);
  }
}

/** The same without waiting; null when the schema is asynchronous. */
export function parseNow<Output>(
  schema: Schema<Output>,
  value: unknown,
): ParseResult<Output> | null {
  try {
    if (isZod(schema) && isAsync(schema._zod?.run({ value, issues: [] }, { async: true })))
      return null;
    const result = schema['~standard'].validate(value);
    return isAsync(result) ? null : readValidation<Output>(result);
  } catch (error) {
    return refusal(error);
  }
}

/**
 * Zod's standard interface first tries to parse synchronously, then again asynchronously. An async check would run twice,
 * and a rejection of the first run would be unhandled.
 */
interface ZodLike {
  safeParseAsync(value: unknown): Promise<ZodResult>;
  readonly _zod?: { run(payload: object, context: { readonly async: true }): unknown };
}

interface ZodResult {
  readonly data?: unknown;
  readonly error?: { readonly issues: readonly StandardIssue[] } | undefined;
}

function isZod(schema: object): schema is ZodLike {
  return typeof Reflect.get(schema, 'safeParseAsync') === 'function';
}

function readZod<Output>({ data, error }: ZodResult): ParseResult<Output> {
  return error
    ? { ok: false, issues: error.issues.map(toIssue) }
    : { ok: true, value: data as Output };
}

/** Whether the result is a promise. Its rejection is ignored. */
function isAsync(result: unknown): boolean {
  if (typeof result !== 'object' || result === null || !('then' in result)) return false;
  Promise.resolve(result).catch(() => undefined);
  return true;
}

function refusal(error: unknown): ParseResult<never> {
  return { ok: false, issues: [{ path: '', message: errorMessage(error) }] };
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

function readValidation<Output>(result: unknown): ParseResult<Output> {
  const { value, issues } = result as { value: Output; issues?: readonly StandardIssue[] };
  if (!issues) return { ok: true, value };
  return { ok: false, issues: issues.map(toIssue) };
}

function toIssue(issue: StandardIssue): Issue {
  const segments = (issue.path ?? []).map((segment) =>
    String(typeof segment === 'object' ? segment.key : segment),
  );
  return { path: segments.join('.'), message: issue.message };
}
