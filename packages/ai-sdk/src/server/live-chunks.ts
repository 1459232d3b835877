import { rootRef } from '@helix-agents/core/store';
import { followStream, streamTails, type ChunkEvent } from '@helix-agents/http';
import type { ChatDependencies } from './dependencies.ts';
import { newestRuns, type ChatTurn } from './turn.ts';

/** Chunks of the turn as they are written, until its session no longer runs or another turn begins. */
export async function* liveChunks(
  deps: ChatDependencies,
  turn: ChatTurn,
  last: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChunkEvent> {
  const { items, close } = followStream<ChunkEvent, 'rests'>({
    open: streamTails(deps.streamManager),
    streamId: turn.streamId,
    after: last ?? turn.startSequence,
    endAt: async () => ((await isRunning(deps, turn)) ? null : 'rests'),
  });
  let begun = last !== undefined;
  signal.addEventListener('abort', close, { once: true });
  try {
    if (signal.aborted) return;
    for await (const event of items) {
      const { chunk } = event;
      if (chunk.type === 'run_started') {
        const ours = turn.runIds.has(chunk.runId) || (await isRetry(deps, turn, chunk.runId));
        if (begun && !ours) return;
        begun ||= ours;
      }
      if (begun) yield event;
    }
  } finally {
    close();
    signal.removeEventListener('abort', close);
  }
}

async function isRunning(
  { stateStore }: ChatDependencies,
  { sessionId }: ChatTurn,
): Promise<boolean> {
  return (await stateStore.sessions.readSession(rootRef(sessionId)))?.status === 'running';
}

/** A turn that failed and is tried again goes on in a run of its own. */
async function isRetry(
  { stateStore }: ChatDependencies,
  { sessionId }: ChatTurn,
  runId: string,
): Promise<boolean> {
  const [run] = await newestRuns(stateStore, rootRef(sessionId), (one) => one.runId === runId);
  return run?.trigger === 'retry';
}
