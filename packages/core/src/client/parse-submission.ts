import type {
  SubmitToolResult,
  SubmitToolResultInput,
  SubmitToolResultSchema,
} from '../define/submit-schema.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';

/** The answer as the schema reads it, or a refusal that names every field that is wrong. */
export function parseSubmission(
  schema: SubmitToolResultSchema,
  submission: SubmitToolResultInput,
): SubmitToolResult {
  const parsed = schema.safeParse(submission);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }));
  throw new InvalidRequestError(issues);
}
