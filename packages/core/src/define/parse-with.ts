import { errorMessage } from '../errors/helix-error.ts';
import type { Issue } from '../errors/issue.ts';
import type { Schema } from './types.ts';

export type ParseResult<Output = unknown> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Parses a value by any Standard Schema. One that throws counts as one that refuses. */
export async function parseWith<Output>(
  schema: Schema<Output>,
  value: unknown,
): Promise<ParseResult<Output>> {
  try {
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
    const result = schema['~standard'].validate(value);
    return result instanceof Promise ? null : readValidation<Output>(result);
  } catch (error) {
    return refusal(error);
  }
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
