import type { OpenCallRow } from '@helix-agents/core';
import type { SessionRef } from '@helix-agents/core/store';
import type { DumpedSession, StoreDump, StreamDump, DumpedTree } from '../history/types.ts';
import { storeOf, type TestWorld } from '../world/test-world.ts';

/** Every row of every tree, read past all faults. */
export async function dumpStores(
  open: TestWorld,
  roots: readonly string[],
  at: number,
  now: number,
): Promise<StoreDump> {
  const trees: DumpedTree[] = [];
  for (const rootId of roots) {
    const ref = { rootId, sessionId: rootId };
    const store = storeOf(open, ref);
    const sessions = await dumpBelow(open, ref);
    if (sessions.length > 0) trees.push({ rootId, sessions, calls: await store.readCalls(rootId) });
  }
  return { at, now, trees };
}

/** All calls of a root, in an order that does not depend on who was faster. */
export async function readCalls(open: TestWorld, rootId: string): Promise<OpenCallRow[]> {
  const rows = await storeOf(open, { rootId, sessionId: rootId }).readCalls(rootId);
  return [...rows].sort((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1));
}

async function dumpBelow(open: TestWorld, ref: SessionRef): Promise<DumpedSession[]> {
  const store = storeOf(open, ref);
  const step = await store.readStep(ref);
  if (!step) return [];
  const references = await store.readReferences(ref);
  const own: DumpedSession = {
    session: step.session,
    interrupt: step.interrupt,
    journal: step.journal,
    messages: await store.readMessages(ref),
    references,
    runs: await store.readRuns(ref),
    checkpoints: await store.readCheckpoints(ref),
    calls: (await store.readCalls(ref.rootId)).filter((row) => row.route.includes(ref.sessionId)),
  };
  const below: DumpedSession[] = [];
  for (const { subSessionId } of references) {
    below.push(...(await dumpBelow(open, { rootId: ref.rootId, sessionId: subSessionId })));
  }
  return [own, ...below];
}

export async function dumpStreams(
  open: TestWorld,
  roots: readonly string[],
): Promise<StreamDump[]> {
  return Promise.all(
    roots.map(async (streamId) => ({
      streamId,
      status: (await open.streamManager.getStreamInfo(streamId))?.status ?? null,
      chunks: await open.streamManager.readChunks(streamId),
    })),
  );
}
