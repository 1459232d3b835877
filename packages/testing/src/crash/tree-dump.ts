import type { Message, OpenCallRow, RunRow, SessionRow, StoredChunk } from '@helix-agents/core';
import type { StreamInfo } from '@helix-agents/core/store';
import type { Databases } from '@helix-agents/core/host';
import type {
  ChildReferenceRow,
  FullStreamManager,
  SessionRef,
  StepRows,
} from '@helix-agents/core/store';

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

/** Where the rows of a tree are. */
export interface TreeSource {
  readonly databases: Databases;
  readonly streamManager: FullStreamManager;
}

export async function dumpTree(source: TreeSource, rootId: string): Promise<TreeDump> {
  const sessions: SessionDump[] = [];
  await dumpSession(source, { rootId, sessionId: rootId }, sessions);
  const { databases, streamManager } = source;
  return {
    sessions,
    calls: await databases.of({ rootId, sessionId: rootId }).readCalls(rootId),
    chunks: await streamManager.readChunks(rootId),
    stream: await streamManager.getStreamInfo(rootId),
  };
}

async function dumpSession(
  source: TreeSource,
  ref: SessionRef,
  into: SessionDump[],
): Promise<void> {
  const store = source.databases.of(ref);
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
  for (const { subSessionId: sessionId } of references) {
    await dumpSession(source, { ...ref, sessionId }, into);
  }
}
