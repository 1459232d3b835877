import {
  HelixError,
  InvalidRequestError,
  InvalidResultError,
  SessionSuspendedError,
  type Logger,
} from '@helix-agents/core';

const STATUS: { readonly [code: string]: number } = {
  run_already_running: 409,
  session_suspended: 409,
  session_not_resumable: 409,
  session_not_found: 404,
  agent_not_found: 404,
  stream_not_resumable: 501,
};

/** A refusal as JSON. What went wrong inside is logged and not told. */
export function errorResponse(error: unknown, logger: Logger | undefined): Response {
  if (!HelixError.isInstance(error)) {
    logger?.error('chat.failed', { error: String(error) });
    return json(500, { error: 'The chat failed. Try again.', code: 'INTERNAL_ERROR' });
  }
  const status = error.statusCode ?? STATUS[error.code] ?? 500;
  if (status >= 500) logger?.error('chat.failed', { code: error.code, error: error.message });
  return json(status, { error: error.message, code: error.code, ...detailsOf(error) });
}

function detailsOf(error: HelixError): object {
  if (InvalidRequestError.isInstance(error)) return { details: error.details };
  if (InvalidResultError.isInstance(error)) {
    const { toolName, toolCallId, issues } = error;
    return { toolName, toolCallId, issues };
  }
  return SessionSuspendedError.isInstance(error) ? { toolCallIds: error.toolCallIds } : {};
}

function json(status: number, body: object): Response {
  return Response.json(body, { status });
}
