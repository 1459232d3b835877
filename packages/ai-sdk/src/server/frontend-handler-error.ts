import { HelixError } from '@helix-agents/core';

/** A request the chat cannot serve, with the status it is answered with. */
export class FrontendHandlerError extends HelixError {
  override readonly name: string = 'FrontendHandlerError';
  declare readonly statusCode: number;

  constructor(code: string, statusCode: number, message: string) {
    super({ code, message, statusCode });
  }
}
