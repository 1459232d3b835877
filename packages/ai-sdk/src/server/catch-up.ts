import type { StoredChunk } from '@helix-agents/core';
import type { ChatChunk } from '../ui/chunks.ts';
import { ChatProjection } from './chat-projection.ts';

/** The assistant message as the client sent it. Only ever used to leave out what it has. */
export interface ClientCopy {
  readonly steps: number;
  /** Tool call ids it has, and whether the server's outcome is already in them. */
  readonly calls: ReadonlyMap<string, { readonly settled: boolean }>;
  /** Up to where it read, where it says so. */
  readonly seen?: number;
  /** Answers in it that were not taken, and why. */
  readonly refused: ReadonlyMap<string, string>;
}

const RUN_ENDS: ReadonlySet<string> = new Set([
  'run_suspended',
  'run_interrupted',
  'run_completed',
  'run_failed',
]);

/**
 * Brings a finished copy of the message up to date: outcomes and calls that came while nobody told this client, then
 * everything after what it has seen.
 */
export class CatchUp {
  readonly seen: number;
  readonly #copy: ClientCopy;
  readonly #byCall = new Map<string, ChatChunk[]>();
  readonly #byData = new Map<string, ChatChunk>();

  constructor(copy: ClientCopy, chunks: readonly StoredChunk[]) {
    this.#copy = copy;
    this.seen = copy.seen ?? seenBy(copy.steps, chunks);
  }

  saw(made: readonly ChatChunk[]): void {
    for (const chunk of made) {
      if ('toolCallId' in chunk) {
        const known = this.#byCall.get(chunk.toolCallId);
        if (known) known.push(chunk);
        else this.#byCall.set(chunk.toolCallId, [chunk]);
      } else if ('id' in chunk && 'data' in chunk && chunk.id !== undefined) {
        this.#byData.set(`${chunk.type}:${chunk.id}`, chunk);
      }
    }
  }

  /** Goes out before the first chunk the client has not seen. */
  missing(): ChatChunk[] {
    const calls = [...this.#byCall].flatMap(([toolCallId, chunks]) => {
      const known = this.#copy.calls.get(toolCallId);
      if (!known) return chunks;
      return known.settled ? [] : chunks.filter(({ type }) => type.startsWith('tool-output-'));
    });
    return [...calls, ...this.#byData.values()];
  }

  /** Answers nobody waits for: the client stops showing them as on their way. */
  refused(isOver: (toolCallId: string) => boolean): ChatChunk[] {
    return [...this.#copy.refused]
      .filter(([toolCallId]) => this.#copy.calls.has(toolCallId) && !isOver(toolCallId))
      .map(([toolCallId, errorText]) => ({
        type: 'tool-output-error',
        toolCallId,
        errorText,
        providerExecuted: true,
      }));
  }
}

/** A copy with that many steps ends where a run ended in the last of them; else right before the next step. */
function seenBy(steps: number, chunks: readonly StoredChunk[]): number {
  const rootId = chunks[0]?.chunk.agentId ?? '';
  const counter = new ChatProjection({ rootId, later: false });
  let begun = 0;
  let ended = 0;
  let last = 0;
  for (const { sequence, chunk } of chunks) {
    begun += counter.accept(chunk).filter(({ type }) => type === 'start-step').length;
    if (begun > steps) break;
    if (RUN_ENDS.has(chunk.type)) ended = sequence;
    last = sequence;
  }
  return ended === 0 ? last : ended;
}
