import { isRoot } from '@helix-agents/core/store';
import type { SessionRef } from '@helix-agents/core/store';
import type { MemoryDatabase, RootCalls } from './memory-database.ts';

/** Removes a session and its descendants; with a root also its calls and streams. */
export function deleteTree(database: MemoryDatabase, sessionId: string): void {
  const session = database.sessions.get(sessionId);
  if (!session) return;
  const { rootId } = session;
  const gone = subtree(database, session);
  for (const id of gone) {
    const streamId = database.sessions.get(id)?.streamId;
    if (isRoot(session) && streamId !== undefined) deleteStream(database, streamId);
    deleteRows(database, id);
    database.trees.get(rootId)?.delete(id);
  }
  const calls = database.calls.get(rootId);
  if (calls) deleteCallsOf(calls, gone);
  if (!isRoot(session)) return;
  database.trees.delete(rootId);
  database.calls.delete(rootId);
}

/** The session and its descendants. */
export function subtree(database: MemoryDatabase, ref: SessionRef): Set<string> {
  const tree = [...(database.trees.get(ref.rootId) ?? [])];
  const isBelow = (id: string): boolean =>
    isRoot(ref) || (database.sessions.get(id)?.route.includes(ref.sessionId) ?? false);
  return new Set(tree.filter(isBelow)).add(ref.sessionId);
}

function deleteRows(database: MemoryDatabase, sessionId: string): void {
  const tables = database.tables.get(sessionId);
  for (const runId of tables?.runIds ?? []) database.runs.delete(runId);
  database.tables.delete(sessionId);
  database.sessions.delete(sessionId);
}

function deleteCallsOf(calls: RootCalls, owners: ReadonlySet<string>): void {
  for (const rows of [calls.live, calls.settled]) {
    for (const [key, row] of rows) if (owners.has(row.ownerSessionId)) rows.delete(key);
  }
}

function deleteStream(database: MemoryDatabase, streamId: string): void {
  database.streams.get(streamId)?.drop();
  database.streams.delete(streamId);
}
