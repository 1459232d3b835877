import { StoreRefusedError, StoreUnavailableError } from '@helix-agents/core';

/** The code of an error: SQLSTATE, or that of a system error. */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

/** Statement timeout and lock timeout: nothing was written. */
const TOOK_TOO_LONG = /^(57014|55P03)$/;
/** Deadlock and serialization failure: nothing was written, and the statement can be repeated. */
const CONFLICT = /^(40P01|40001)$/;
/**
 * Connection failures, a server that starts or stops, out of resources, a read-only server (such as a demoted primary), and socket
 * errors.
 */
const UNREACHABLE =
  /^(08...|57P0[1235]|25006|53[1-4]00|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOST\w+|EADDRNOTAVAIL|EAI_AGAIN)$/;
/** Errors of `pg` without a code. */
const BROKEN =
  /connection (terminated|ended)|timeout exceeded when trying to connect|^query read timeout$|is not queryable$/i;

/** There is no connection yet: nothing was sent. */
const NEVER_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL)$/;
const CONNECT_TIMEOUT = /timeout exceeded when trying to connect/i;

export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  const advice = refusals[code];
  if (advice !== undefined) {
    return new StoreRefusedError(`Postgres ${advice} (${code}). Nothing was written.`, error);
  }
  if (NEVER_SENT.test(code) || isMissingSocket(error))
    return new StoreUnavailableError(error, 'Postgres', code);
  if (CONNECT_TIMEOUT.test(error.message)) {
    return new StoreUnavailableError(error, 'Postgres', 'connect timeout');
  }
  const passes = [UNREACHABLE, TOOK_TOO_LONG, CONFLICT].some((codes) => codes.test(code));
  return passes || BROKEN.test(error.message)
    ? new StoreUnavailableError(error, 'Postgres')
    : error;
}

function isMissingSocket(error: Error): boolean {
  return codeOf(error) === 'ENOENT' && Reflect.get(error, 'syscall') === 'connect';
}

const login = 'refused the login: check the user and the password of the connection';
const refusals: Readonly<Record<string, string>> = {
  '28000': login,
  '28P01': login,
  '3D000': 'has no database of that name: create it, or correct the name in the connection',
};

export function isConflict(error: unknown): boolean {
  return CONFLICT.test(codeOf(error));
}

/** For several writes in one statement: the error is that of the server or the connection, not of one write. */
export function isOfAll(error: unknown): boolean {
  if (StoreRefusedError.isInstance(error)) return true;
  return StoreUnavailableError.isInstance(error) && !TOOK_TOO_LONG.test(codeOf(error.cause));
}
