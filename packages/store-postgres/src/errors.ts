import { HelixError } from '@helix-agents/core';

/** What Postgres or the socket said, as a code: SQLSTATE, or the name of a system error. */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

/**
 * Connection failures, the server going down or coming up, no connection left, a statement that took too long or came to a
 * server that only reads, as one does that was replaced, and what sockets say.
 */
const UNREACHABLE =
  /^(08...|57P0[1235]|57014|25006|53300|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;
/** `pg` gives these no code. */
const BROKEN =
  /connection (terminated|ended)|timeout exceeded when trying to connect|^query read timeout$|is not queryable$/i;

/** The server cannot be reached, or the connection broke: whether the write was made is not known. Retryable. */
export class StoreUnavailableError extends HelixError {
  override readonly name: string = 'StoreUnavailableError';

  constructor(cause: Error) {
    super({
      code: 'store_unavailable',
      message: `Postgres cannot be reached (${cause.message}); what was sent may have been done. Try again, and look first.`,
      retryable: true,
      statusCode: 503,
      cause,
    });
  }

  static override isInstance(value: unknown): value is StoreUnavailableError {
    return HelixError.isInstance(value) && value.code === 'store_unavailable';
  }
}

export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const unreachable = UNREACHABLE.test(codeOf(error)) || BROKEN.test(error.message);
  return unreachable ? new StoreUnavailableError(error) : error;
}
