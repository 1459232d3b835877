import type { CommitInserts, SessionRef } from '@helix-agents/core';
import type { RedisDatabase } from '../database.ts';
import { encodeId } from '../keys.ts';

/** The root a session's id names: children of the engine are called `{parent}-sub-{step}-{index}`. */
export function rootNamedBy(sessionId: string): string {
  return /^(.*?)(?:-sub-\d+-\d+)+$/s.exec(sessionId)?.[1] ?? sessionId;
}

/** A child with another kind of id is noted down before it is written, so that it is found by its id alone. */
export async function noteRoot(database: RedisDatabase, ref: SessionRef): Promise<void> {
  if (isNotNamed(ref))
    await database.client.call('SET', [noteKey(database, ref.sessionId), ref.rootId]);
}

export async function noteRoots(
  database: RedisDatabase,
  { sessions = [], usage = [] }: CommitInserts,
): Promise<void> {
  await Promise.all([...sessions, ...usage].map((row) => noteRoot(database, row)));
}

/** The root of a session that is none itself. */
export async function findRoot(database: RedisDatabase, sessionId: string): Promise<string> {
  const noted = await database.client.call('GET', [noteKey(database, sessionId)]);
  return typeof noted === 'string' ? noted : rootNamedBy(sessionId);
}

export async function forgetRoot(database: RedisDatabase, ref: SessionRef): Promise<void> {
  if (isNotNamed(ref)) await database.client.call('DEL', [noteKey(database, ref.sessionId)]);
}

/** A child whose id does not say which root it belongs to. */
function isNotNamed({ sessionId, rootId }: SessionRef): boolean {
  return sessionId !== rootId && rootNamedBy(sessionId) !== rootId;
}

function noteKey({ keys }: RedisDatabase, sessionId: string): string {
  return `${keys.areaOf(sessionId)}:root-of:${encodeId(sessionId)}`;
}
