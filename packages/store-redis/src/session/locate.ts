import { isRoot, type CommitInserts, type SessionRef } from '@helix-agents/core/store';
import type { RedisClient } from '../client.ts';
import type { RedisDatabase } from '../database.ts';
import { encodeId, type Keys } from '../keys.ts';

/** Of every child the root is noted under the id of the child, before the child is written: so it is found by its id alone. */
export async function noteRoot(client: RedisClient, keys: Keys, ref: SessionRef): Promise<void> {
  if (!isRoot(ref)) await client.call('SET', [noteKey(keys, ref.sessionId), ref.rootId]);
}

export async function noteRoots(
  { client, keys }: RedisDatabase,
  { sessions = [] }: CommitInserts,
): Promise<void> {
  await Promise.all(sessions.map((row) => noteRoot(client, keys, row)));
}

/** The root that is noted of a session; its own id where none is. */
export async function notedRoot(
  { client, keys }: RedisDatabase,
  sessionId: string,
): Promise<string> {
  const noted = await client.call('GET', [noteKey(keys, sessionId)]);
  return typeof noted === 'string' ? noted : sessionId;
}

/** A note may be of a child that was never written. */
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
