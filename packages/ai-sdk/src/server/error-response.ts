import { toLogger, type Logger } from '@helix-agents/core';
import { errorResponse } from '@helix-agents/http';

/** What a chat request that fails is answered with; a 5xx is logged. */
export function chatError(error: unknown, logger: Logger | undefined): Response {
  return errorResponse(error, (failure) => toLogger(logger).error('chat.failed', { ...failure }));
}
