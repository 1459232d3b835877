import type { StreamChunk } from '@helix-agents/sdk';
import { readPage } from './describe-chunk.ts';

/** So many pages must be left, or the document may be read before the signal arrives. */
const PAGES_LEFT = 2;

/**
 * Says when to pull the plug: one call alone is at work, it has been for a while, and it will be for a while. Holds
 * for whatever order of calls a model comes up with.
 */
export function watchForKillMoment(): (chunk: StreamChunk) => boolean {
  const atWork = new Set<string>();
  return (chunk) => {
    if (chunk.type === 'tool_start') atWork.add(chunk.toolCallId);
    if (chunk.type === 'tool_end') atWork.delete(chunk.toolCallId);
    const reading = readPage(chunk);
    return reading !== null && atWork.size === 1 && reading.pages - reading.page >= PAGES_LEFT;
  };
}
