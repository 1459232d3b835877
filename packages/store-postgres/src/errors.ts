import { StoreUnavailableError } from '@helix-agents/core';

/** What Postgres or the socket said, as a code: SQLSTATE, or the name of a system error. */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

/** A statement that took too long, or waited too long for a row: nothing was written. */
const TOOK_TOO_LONG = /^(57014|55P03)$/;
/** Deadlock and serialization failure: nothing was written, and the statement may run again as it is. */
const CONFLICT = /^(40P01|40001)$/;
/**
 * Connection failures, the server going down or coming up, no room or connection left, a server that only reads, as one does
 * that was replaced, and what sockets say.
 */
const UNREACHABLE =
  /^(08...|57P0[1235]|25006|53[1-4]00|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOST\w+|EADDRNOTAVAIL|EAI_AGAIN)$/;
/** `pg` gives these no code. */
const BROKEN =
  /connection (terminated|ended)|timeout exceeded when trying to connect|^query read timeout$|is not queryable$/i;

export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const passes = [UNREACHABLE, TOOK_TOO_LONG, CONFLICT].some((codes) => codes.test(codeOf(error)));
  return passes || BROKEN.test(error.message)
    ? new StoreUnavailableError(error, 'Postgres')
    : error;
}

export function isConflict(error: unknown): boolean {
  return CONFLICT.test(codeOf(error));
}

/** Of statements that left as one: what the server, or the way to it, did to all of them. */
export function isOfAll(error: unknown): boolean {
  return StoreUnavailableError.isInstance(error) && !TOOK_TOO_LONG.test(codeOf(error.cause));
}
