import { StoreSchemaError } from '@helix-agents/core';
import { addRoutes } from './add-routes.ts';
import { refuseUnfitClient, type RedisClient } from './client.ts';
import { withStoreErrors } from './errors.ts';

/** The version of the layout of keys and rows. Raise it for a change that older code would not survive, together with a migration. */
export const FORMAT = 2;

/**
 * A client that checks the stored format before its first command: it stores the format under a new prefix, migrates an older one and
 * refuses an unknown one. All commands of the stores go through such a client, and failures are store errors.
 */
export function withFormat(given: RedisClient, prefix: string): RedisClient {
  refuseUnfitClient(given);
  const client = withStoreErrors(given);
  let checked = false;
  const check = async (): Promise<void> => {
    await checkOnce(given, prefix);
    checked = true;
  };
  return {
    options: client.options,
    call: (command, args) =>
      checked ? client.call(command, args) : check().then(() => client.call(command, args)),
  };
}

/** Stores over one client check once, and again if that failed. */
const checks = new WeakMap<RedisClient, Map<string, Promise<void>>>();

function checkOnce(client: RedisClient, prefix: string): Promise<void> {
  const known = checks.get(client) ?? new Map<string, Promise<void>>();
  checks.set(client, known);
  let check = known.get(prefix);
  if (check === undefined) {
    check = checkFormat(withStoreErrors(client), prefix);
    known.set(prefix, check);
    check.catch(() => known.delete(prefix));
  }
  return check;
}

async function checkFormat(client: RedisClient, prefix: string): Promise<void> {
  const key = `${prefix}:format`;
  let found = await client.call('GET', [key]);
  if (found === null) {
    await client.call('SET', [key, FORMAT, 'NX']);
    found = await client.call('GET', [key]);
  }
  if (Number(found) === FORMAT) return;
  if (Number(found) === 1) {
    await addRoutes(client, prefix);
    await client.call('SET', [key, FORMAT]);
    return;
  }
  const advice = Number(found) > FORMAT ? 'update the code' : 'use another prefix';
  throw new StoreSchemaError(
    `the keys at ${key} are in format ${String(found)}, this code knows ${FORMAT}: ${advice}`,
  );
}
