import type { z } from 'zod';
import { HttpRefusal } from '../response/refusal.ts';
import { fewIssues, MAX_ISSUES } from '../response/few-issues.ts';

export interface ParseOptions {
  /** Where the value stands in the request; comes before the paths of its issues. */
  readonly at?: string;
  /** Adds the validator's own issues to the response. */
  readonly withIssues?: boolean;
}

/** The value as its schema reads it, or a 400 that lists what to correct. */
export function parseValue<T>(
  schema: z.ZodType<T>,
  value: unknown,
  { at, withIssues = false }: ParseOptions = {},
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const place = at === undefined ? [] : [at];
  const issues = parsed.error.issues.slice(0, MAX_ISSUES);
  const details = fewIssues(
    issues.map(({ path, message }) => ({ path: [...place, ...path].join('.'), message })),
  );
  throw new HttpRefusal(400, {
    error: 'The request is not valid; details says what to correct.',
    code: 'INVALID_REQUEST',
    details,
    ...(withIssues && { issues }),
  });
}
