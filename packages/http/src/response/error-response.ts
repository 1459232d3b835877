import {
  HelixError,
  InvalidRequestError,
  InvalidResultError,
  NotRootSessionError,
  SessionSuspendedError,
  type Issue,
} from '@helix-agents/core';
import { fewIssues } from './few-issues.ts';
import { json } from './json.ts';
import { HttpRefusal, type ErrorBody } from './refusal.ts';

/** What is logged about a failure that becomes a 5xx. */
export interface Failure {
  readonly code?: string;
  readonly error: string;
}

/**
 * Any thrown value as a response.
 *
 * I1. A 5xx never carries the text of an error: it may contain a driver's message, such as the address of the database.
 *     It goes to `report`, for the log. Only an `HttpRefusal`, written for the client, keeps its text.
 * I2. A failure that may be gone on a retry is a 503 with `retry-after`.
 */
export function errorResponse(error: unknown, report: (failure: Failure) => void): Response {
  if (error instanceof HttpRefusal) return json(error.status, error.body, error.headers);
  if (!HelixError.isInstance(error)) {
    report({ error: String(error) });
    return internalError();
  }
  const { code, statusCode, retryable } = error;
  const status = statusCode ?? (retryable ? 503 : 500);
  if (status < 500) return json(status, bodyOf(error));
  report({ code, error: String(error) });
  return status === 503 ? unavailableStore(code) : internalError();
}

function unavailableStore(code: string): Response {
  const error = 'The store did not answer; send the request again.';
  return json(503, { error, code }, { 'retry-after': '1' });
}

function internalError(): Response {
  const error = 'Something went wrong here; it was logged. Send the request again.';
  return json(500, { error, code: 'INTERNAL_ERROR' });
}

function toText(issues: readonly Issue[]): string {
  return issues
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
}

/** Clients get one code for both. The messages of these errors are for the operator of the server and are not sent. */
const NOT_FOUND: ReadonlyMap<string, string> = new Map([
  ['session_not_found', 'There is no such session.'],
  ['agent_not_found', 'There is no such agent.'],
]);

function bodyOf(error: HelixError): ErrorBody {
  const missing = NOT_FOUND.get(error.code);
  if (missing !== undefined) return { error: missing, code: 'NOT_FOUND' };
  const body = { error: error.message, code: error.code };
  if (InvalidRequestError.isInstance(error)) return { ...body, details: fewIssues(error.details) };
  if (InvalidResultError.isInstance(error)) {
    const { toolName, toolCallId, issues } = error;
    const few = fewIssues(issues);
    return { ...body, toolName, toolCallId, issues: toText(few), details: few };
  }
  if (NotRootSessionError.isInstance(error)) return { ...body, rootSessionId: error.rootId };
  if (SessionSuspendedError.isInstance(error)) return { ...body, toolCallIds: error.toolCallIds };
  return body;
}
