import type { StreamChunk } from '@helix-agents/core';
import { rootRef } from '@helix-agents/core/store';
import { followStream, streamTails, type ChunkEvent } from '@helix-agents/http';
import type { ChatDependencies } from './dependencies.ts';
import { newestRuns, type ChatTurn } from './turn.ts';

type TurnDependencies = Pick<ChatDependencies, 'stateStore' | 'streamManager'>;

/**
 * The chunks of the turn from its first one on, those to come included, until its session no longer runs or another turn
 * begins. They are read as fast as they are taken, and once for all readers that are at the same place.
 */
export async function* turnChunks(
  deps: TurnDependencies,
  turn: ChatTurn,
  signal: AbortSignal,
): AsyncGenerator<ChunkEvent> {
  if (signal.aborted) return;
  const { items, close } = followStream<ChunkEvent, 'rests'>({
    open: streamTails(deps.streamManager),
    streamId: turn.streamId,
    after: turn.startSequence,
    endAt: async () => ((await isRunning(deps, turn)) ? null : 'rests'),
  });
  let begun = false;
  signal.addEventListener('abort', close, { once: true });
  try {
    for await (const event of items) {
      const place = await placeInTurn(deps, turn, event.chunk);
      if (place === 'other' && begun) return;
      begun ||= place === 'own';
      if (begun) yield event;
    }
  } finally {
    close();
    signal.removeEventListener('abort', close);
  }
}

/** Whether a chunk begins a run of this turn, a run of another one, or none. */
export async function placeInTurn(
  deps: Pick<ChatDependencies, 'stateStore'>,
  turn: ChatTurn,
  chunk: StreamChunk,
): Promise<'own' | 'other' | 'within'> {
  if (chunk.type !== 'run_started') return 'within';
  return turn.runIds.has(chunk.runId) || (await isRetry(deps, turn, chunk.runId)) ? 'own' : 'other';
}

async function isRunning(
  { stateStore }: Pick<ChatDependencies, 'stateStore'>,
  { sessionId }: ChatTurn,
): Promise<boolean> {
  return (await stateStore.sessions.readSession(rootRef(sessionId)))?.status === 'running';
}

/** A turn that failed and is tried again goes on in a run of its own. */
async function isRetry(
  { stateStore }: Pick<ChatDependencies, 'stateStore'>,
  { sessionId }: ChatTurn,
  runId: string,
): Promise<boolean> {
  const [run] = await newestRuns(stateStore, rootRef(sessionId), (one) => one.runId === runId);
  return run?.trigger === 'retry';
}
