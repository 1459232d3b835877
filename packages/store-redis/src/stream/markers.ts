import type { StoredChunk, StreamChunk } from '@helix-agents/core';
import type { BaseChunk } from '@helix-agents/core/store';

/** One `step_discarded` per agent and step beyond `stepCount` that has chunks after its last such marker. */
export function withdrawalMarkers(
  chunks: readonly StoredChunk[],
  stepCount: number,
  now: number,
): StreamChunk[] {
  const steps = new Map<string, Omit<BaseChunk, 'timestamp'>>();
  for (const { chunk } of chunks) {
    if (chunk.step <= stepCount) continue;
    const { agentId, agentType, step } = chunk;
    const key = JSON.stringify([agentId, step]);
    if (chunk.type === 'step_discarded') steps.delete(key);
    else steps.set(key, { agentId, agentType, step });
  }
  return [...steps.values()].map((base) => ({
    ...base,
    timestamp: now,
    type: 'step_discarded',
    reason: 'cleanup',
  }));
}

/** A marker that discards everything before it; none for a stream without chunks. */
export function resyncMarker(chunks: readonly StoredChunk[], now: number): StreamChunk[] {
  const [first, last] = [chunks[0]?.chunk, chunks.at(-1)?.chunk];
  if (!first || !last) return [];
  const { agentId, agentType } = first;
  const base = { agentId, agentType, step: last.step, timestamp: now };
  return [{ ...base, type: 'stream_resync', reason: 'reset' }];
}
