import { errorMessage } from '../errors/helix-error.ts';
import type { Issue } from '../errors/issue.ts';
import type { Schema } from './types.ts';

export type ParseResult<Output = unknown> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Parses a value by any Standard Schema, at once where the schema can. One that throws counts as one that refuses. */
export function parseWith<Output>(
  schema: Schema<Output>,
  value: unknown,
): ParseResult<Output> | Promise<ParseResult<Output>> {
  try {
    const result = schema['~standard'].validate(value);
    if (!(result instanceof Promise)) return readValidation<Output>(result);
    return result.then((later) => readValidation<Output>(later)).catch(refusal);
  } catch (error) {
    return refusal(error);
  }
}

/** The same without waiting; null when the schema can only answer later. */
export function parseNow<Output>(
  schema: Schema<Output>,
  value: unknown,
): ParseResult<Output> | null {
  const result = parseWith(schema, value);
  return result instanceof Promise ? null : result;
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
