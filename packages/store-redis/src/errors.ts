import { StoreUnavailableError } from '@helix-agents/core';
import type { RedisClient } from './client.ts';

/**
 * What a server says that cannot do its work for now: short of memory, a replica, starting, a part of the cluster gone or moving,
 * the disk not writable, busy. Before 7.0 a script hands it on behind its own words.
 */
const REFUSED =
  /(^|: -)(OOM|READONLY|LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|BUSY)\b/;
/** What sockets say. */
const UNREACHABLE = /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;
/** ioredis' own errors; the connection was lost, with the reply perhaps, or none could be made. */
const NAMES: ReadonlySet<string> = new Set([
  'AbortError',
  'MaxRetriesPerRequestError',
  'ClusterAllFailedError',
]);
/** ioredis gives these no name. */
const BROKEN =
  /^(Connection is closed|Command timed out|Socket timeout|Stream isn't writeable|Cluster isn't ready|Cluster is disconnect|None of startup nodes|Too many Cluster redirections|All sentinels are unreachable)/;

/** A client whose failures say whether to try again. */
export function withStoreErrors(client: RedisClient): RedisClient {
  return {
    options: client.options,
    call: (command, args) => client.call(command, args).catch(fail),
  };
}

function fail(error: unknown): never {
  throw error instanceof Error && isUnavailable(error)
    ? new StoreUnavailableError(error, 'Redis')
    : error;
}

function isUnavailable(error: Error): boolean {
  const code: unknown = Reflect.get(error, 'code');
  return (
    NAMES.has(error.name) ||
    REFUSED.test(error.message) ||
    BROKEN.test(error.message) ||
    (typeof code === 'string' && UNREACHABLE.test(code))
  );
}
