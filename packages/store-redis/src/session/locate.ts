import type { CommitInserts } from '@helix-agents/core';
import type { RedisDatabase } from '../database.ts';
import { encodeId } from '../keys.ts';

/** The root a session's id names: children of the engine are called `{parent}-sub-{step}-{index}`. */
export function rootNamedBy(sessionId: string): string {
  return /^(.*?)(?:-sub-\d+-\d+)+$/s.exec(sessionId)?.[1] ?? sessionId;
}

/** A child with another kind of id is noted down before it is written, so that it is found by its id alone. */
export async function noteRoot(
  database: RedisDatabase,
  { sessionId, rootId }: { readonly sessionId: string; readonly rootId: string },
): Promise<void> {
  if (sessionId === rootId || rootNamedBy(sessionId) === rootId) return;
  await database.client.call('SET', [noteKey(database, sessionId), rootId]);
}

export async function noteRoots(database: RedisDatabase, insert: CommitInserts): Promise<void> {
  const { sessions = [], usage = [] } = insert;
  await Promise.all([...sessions, ...usage].map((row) => noteRoot(database, row)));
}

/** The root of a session that is none itself. */
export async function findRoot(database: RedisDatabase, sessionId: string): Promise<string> {
  const noted = await database.client.call('GET', [noteKey(database, sessionId)]);
  return typeof noted === 'string' ? noted : rootNamedBy(sessionId);
}

export async function forgetRoot(
  database: RedisDatabase,
  sessionId: string,
  rootId: string,
): Promise<void> {
  if (sessionId === rootId || rootNamedBy(sessionId) === rootId) return;
  await database.client.call('DEL', [noteKey(database, sessionId)]);
}

function noteKey({ keys }: RedisDatabase, sessionId: string): string {
  return `${keys.areaOf(sessionId)}:root-of:${encodeId(sessionId)}`;
}
