import { StoreUnavailableError } from '@helix-agents/core';

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

export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const unreachable = UNREACHABLE.test(codeOf(error)) || BROKEN.test(error.message);
  return unreachable ? new StoreUnavailableError(error, 'Postgres') : error;
}
