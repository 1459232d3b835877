import { isRoot, type CommitInserts, type SessionRef } from '@helix-agents/core/store';
import type { RedisClient } from '../client.ts';
import type { RedisDatabase } from '../database.ts';
import { encodeId, type Keys } from '../keys.ts';

/** Stores the root of every child under the child's id, before the child is written, so that it is found by its id alone. */
export async function noteRoot(client: RedisClient, keys: Keys, ref: SessionRef): Promise<void> {
  if (!isRoot(ref)) await client.call('SET', [noteKey(keys, ref.sessionId), ref.rootId]);
}

export async function noteRoots(
  { client, keys }: RedisDatabase,
  { sessions = [] }: CommitInserts,
): Promise<void> {
  await Promise.all(sessions.map((row) => noteRoot(client, keys, row)));
}

/** The stored root of a session; its own id if none is stored. */
export async function notedRoot(
  { client, keys }: RedisDatabase,
  sessionId: string,
): Promise<string> {
  const noted = await client.call('GET', [noteKey(keys, sessionId)]);
  return typeof noted === 'string' ? noted : sessionId;
}

/** The child may never have been written. */
export async function findRoot(database: RedisDatabase, sessionId: string): Promise<string | null> {
  const rootId = await notedRoot(database, sessionId);
  const key = `${database.keys.treeOf(rootId)}:session:${encodeId(sessionId)}`;
  return (await database.client.call('EXISTS', [key])) === 1 ? rootId : null;
}

export async function forgetRoot({ client, keys }: RedisDatabase, ref: SessionRef): Promise<void> {
  if (!isRoot(ref)) await client.call('DEL', [noteKey(keys, ref.sessionId)]);
}

function noteKey(keys: Keys, sessionId: string): string {
  return `${keys.areaOf(sessionId)}:root-of:${encodeId(sessionId)}`;
}
