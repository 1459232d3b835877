import {
  HelixError,
  InvalidRequestError,
  InvalidResultError,
  NotRootSessionError,
  SessionSuspendedError,
  type Logger,
} from '@helix-agents/core';
import { HttpRefusal, json, type ErrorBody } from './respond.ts';

/** Any failure as an answer. What is not meant for the caller is logged and shows as 500 or 503 without its text. */
export function errorResponse(error: unknown, logger: Logger, operation: string): Response {
  if (error instanceof HttpRefusal) {
    if (error.status === 413 && operation === 'submit-tool-result')
      logger.warn('submit_tool_result.body_too_large', { maxBytes: error.body.maxBytes });
    return json(error.status, error.body, error.headers);
  }
  if (HelixError.isInstance(error)) {
    const status = error.statusCode ?? (error.retryable ? 503 : 500);
    if (status < 500) return json(status, bodyOf(error));
    logger.error('server.request_failed', { operation, code: error.code, error: error.message });
    if (status === 503)
      return json(
        503,
        { error: 'The store did not answer; send the request again.', code: error.code },
        { 'retry-after': '1' },
      );
    return internalError();
  }
  logger.error('server.request_failed', { operation, error: String(error) });
  return internalError();
}

function internalError(): Response {
  const error = 'Something went wrong here; it was logged. Send the request again.';
  return json(500, { error, code: 'INTERNAL_ERROR' });
}

/** What a session or an agent is called by those who look for one. */
const NOT_FOUND: ReadonlySet<string> = new Set(['session_not_found', 'agent_not_found']);

function bodyOf(error: HelixError): ErrorBody {
  const body = {
    error: error.message,
    code: NOT_FOUND.has(error.code) ? 'NOT_FOUND' : error.code,
  };
  if (InvalidRequestError.isInstance(error)) return { ...body, details: error.details };
  if (InvalidResultError.isInstance(error)) {
    const { toolName, toolCallId, issues } = error;
    return { ...body, toolName, toolCallId, issues };
  }
  if (NotRootSessionError.isInstance(error)) return { ...body, rootSessionId: error.rootId };
  if (SessionSuspendedError.isInstance(error)) return { ...body, toolCallIds: error.toolCallIds };
  return body;
}
