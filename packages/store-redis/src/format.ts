import { StoreSchemaError } from '@helix-agents/core';
import { addMessageIds, addRoutes, addUnits } from './migrations.ts';
import { refuseUnfitClient, type RedisClient } from './client.ts';
import { withStoreErrors } from './errors.ts';
import { FORMAT } from './format-version.ts';
import { createKeys } from './keys.ts';
import { raiseFormatScript } from './lua/migrations.ts';

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
  const found = (await client.call('GET', [key])) ?? (await begin(client, prefix));
  const format = Number(found);
  if (format === FORMAT) return;
  const missing = migrations[format];
  if (missing === undefined) throw unknownFormat(key, String(found));
  // First of all: from here on, code that knows an older format writes nothing.
  await raiseFormat(client, prefix);
  for (const migrate of missing) await migrate(client, prefix);
  await client.call('SET', [key, FORMAT]);
}

/** By the format they start from. */
const migrations: { readonly [format: number]: readonly Migration[] } = {
  1: [addRoutes, addMessageIds, addUnits],
  2: [addMessageIds, addUnits],
  3: [addUnits],
};

type Migration = (client: RedisClient, prefix: string) => Promise<void>;

/** Nothing is stored under this prefix. Returns the format that is now, which may be that of another process. */
async function begin(client: RedisClient, prefix: string): Promise<unknown> {
  const key = `${prefix}:format`;
  await raiseFormat(client, prefix);
  await client.call('SET', [key, FORMAT, 'NX']);
  return client.call('GET', [key]);
}

async function raiseFormat(client: RedisClient, prefix: string): Promise<void> {
  const { areas } = createKeys(prefix);
  await Promise.all(areas.map((area) => raiseFormatScript.run(client, `${area}:format`, [FORMAT])));
}

function unknownFormat(key: string, found: string): StoreSchemaError {
  const advice = Number(found) > FORMAT ? 'update the code' : 'use another prefix';
  return new StoreSchemaError(
    `the keys at ${key} are in format ${found}, this code knows ${FORMAT}: ${advice}`,
  );
}
