import { StoreRefusedError, StoreSchemaError, StoreUnavailableError } from '@helix-agents/core';
import type { RedisClient } from './client.ts';
import { FORMAT, NEWER_FORMAT } from './format-version.ts';

/**
 * Replies of a server that cannot work at the moment: out of memory, a replica, starting, a part of the cluster down or moving, the disk
 * not writable, busy. Before 7.0 a script prepends its own text.
 */
const REFUSED =
  /(^|: -)(OOM|READONLY|LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|BUSY)\b/;
/** Codes of socket errors. */
const UNREACHABLE = /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;
/** There is no connection yet: nothing was sent. */
const NEVER_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
/** A missing or wrong password, or a user without rights. */
const NO_LOGIN = /(^|: -)(NOAUTH|WRONGPASS|NOPERM)\b/;
/** Errors of ioredis: the connection was lost, perhaps with the reply, or could not be made. */
const NAMES: ReadonlySet<string> = new Set([
  'AbortError',
  'MaxRetriesPerRequestError',
  'ClusterAllFailedError',
]);
/** Messages of ioredis errors without a name. */
const BROKEN =
  /^(Connection is closed|Command timed out|Socket timeout|Stream isn't writeable|Cluster isn't ready|Cluster is disconnect|None of startup nodes|Too many Cluster redirections|All sentinels are unreachable)/;

const NEWER = new RegExp(`${NEWER_FORMAT} (\\d+)`);

/** A client whose errors tell whether a retry makes sense. */
export function withStoreErrors(client: RedisClient): RedisClient {
  return {
    options: client.options,
    call: (command, args) => client.call(command, args).catch(fail),
  };
}

function fail(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const newer = NEWER.exec(error.message)?.[1];
  if (newer !== undefined) {
    throw new StoreSchemaError(
      `the keys were migrated to format ${newer} while this process ran, this code knows ${FORMAT}: update the code`,
      error,
    );
  }
  const code = codeOf(error);
  if (NO_LOGIN.test(error.message)) throw new StoreRefusedError(REFUSED_LOGIN, error);
  if (NEVER_SENT.test(code)) throw new StoreUnavailableError(error, 'Redis', code);
  throw isUnavailable(error) ? new StoreUnavailableError(error, 'Redis') : error;
}

const REFUSED_LOGIN =
  'Redis refused the login: check the user, the password and the rights of the connection. Nothing was written.';

function isUnavailable(error: Error): boolean {
  return (
    NAMES.has(error.name) ||
    REFUSED.test(error.message) ||
    BROKEN.test(error.message) ||
    UNREACHABLE.test(codeOf(error))
  );
}

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : '';
}
