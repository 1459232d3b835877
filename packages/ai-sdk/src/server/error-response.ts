import { toLogger, type Logger } from '@helix-agents/core';
import { errorResponse } from '@helix-agents/http';

/** The response to a chat request that fails; a 5xx is logged. */
export function chatError(error: unknown, logger: Logger | undefined): Response {
  return errorResponse(error, (failure) => toLogger(logger).error('chat.failed', { ...failure }));
}
