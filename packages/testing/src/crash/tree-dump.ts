import type {
  ChildReferenceRow,
  Message,
  OpenCallRow,
  RunRow,
  SessionRow,
  StepRows,
  StoredChunk,
  StreamInfo,
} from '@helix-agents/core';
import { ROOT, ROOT_REF } from './harness.ts';
import type { World } from './world.ts';

export interface SessionDump {
  readonly session: SessionRow;
  readonly step: StepRows;
  readonly messages: readonly Message[];
  readonly sequences: readonly number[];
  readonly runs: readonly RunRow[];
  readonly references: readonly ChildReferenceRow[];
  readonly checkpoints: number;
}

/** All rows of the tree and its stream, at one moment. */
export interface TreeDump {
  /** Root first, then depth first in call order. */
  readonly sessions: readonly SessionDump[];
  readonly calls: readonly OpenCallRow[];
  readonly chunks: readonly StoredChunk[];
  readonly stream: StreamInfo | null;
}

export async function dumpTree(world: World): Promise<TreeDump> {
  const sessions: SessionDump[] = [];
  await dumpSession(world, ROOT, sessions);
  const { streamManager } = world.stores;
  return {
    sessions,
    calls: await world.storeOf(ROOT_REF).readCalls(ROOT),
    chunks: await streamManager.readChunks(ROOT),
    stream: await streamManager.getStreamInfo(ROOT),
  };
}

async function dumpSession(world: World, sessionId: string, into: SessionDump[]): Promise<void> {
  const ref = { rootId: ROOT, sessionId };
  const store = world.storeOf(ref);
  const step = await store.readStep(ref);
  if (!step) return;
  const messages = await store.readMessages(ref);
  const references = [...(await store.readReferences(ref))].sort(
    (a, b) => a.stepId - b.stepId || a.index - b.index,
  );
  into.push({
    session: step.session,
    step,
    messages: messages.map((row) => row.message),
    sequences: messages.map((row) => row.sequence),
    runs: await store.readRuns(ref),
    references,
    checkpoints: (await store.readCheckpoints(ref)).length,
  });
  for (const { subSessionId } of references) await dumpSession(world, subSessionId, into);
}
