import type { ErrorCode } from '@helix-agents/core';
import { HttpRefusal } from '@helix-agents/http';

/** A request the chat cannot serve, with the status it is answered with. Its text is shown to the client. */
export class FrontendHandlerError extends HttpRefusal {
  override readonly name: string = 'FrontendHandlerError';
  declare readonly statusCode: number;

  constructor(code: ErrorCode, statusCode: number, message: string) {
    super(statusCode, { error: message, code });
  }
}
