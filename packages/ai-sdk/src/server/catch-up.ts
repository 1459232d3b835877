import type { ChatChunk } from '../ui/chunks.ts';
import { versionKey, type TurnIndex, type TurnView } from './turn-index.ts';

/** The assistant message as the client sent it. Used only to leave out what the client already has. */
export interface ClientCopy {
  readonly steps: number;
  /** Tool call ids it has, and whether the server's outcome is already in them. */
  readonly calls: ReadonlyMap<string, { readonly settled: boolean }>;
  /** The last number that the client has read, if it sent one. */
  readonly seen?: number;
  /** Answers in it that were not accepted, and why. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Brings a client's copy of the message up to date: first the outcomes and calls that it missed, then everything after
 * the last chunk that it has seen.
 */
export class CatchUp {
  readonly seen: number;
  /** The chunks that the copy was made from, without those that were withdrawn. */
  readonly view: TurnView;
  readonly #copy: ClientCopy;
  readonly #index: TurnIndex;
  readonly #newest = new Map<string, number | undefined>();

  constructor(copy: ClientCopy, index: TurnIndex) {
    this.#copy = copy;
    this.#index = index;
    this.seen = Math.min(copy.seen ?? index.seenBy(copy.steps), index.head);
    this.view = index.view({ seen: 0, head: this.seen });
  }

  /** Whether a chunk up to `seen` may be missing in the client's copy. */
  isMissing(chunk: ChatChunk, sequence: number): boolean {
    if ('toolCallId' in chunk) {
      const known = this.#copy.calls.get(chunk.toolCallId);
      return !known || (!known.settled && chunk.type.startsWith('tool-output-'));
    }
    const key = versionKey(chunk);
    return key !== null && this.#newestOf(key) === sequence;
  }

  /** Ends the calls whose answers were not accepted, so that the client no longer shows them as sent. */
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

  #newestOf(key: string): number | undefined {
    if (!this.#newest.has(key))
      this.#newest.set(key, this.#index.newest(key, this.seen, this.view));
    return this.#newest.get(key);
  }
}
