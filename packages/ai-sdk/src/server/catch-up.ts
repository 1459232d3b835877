import type { ChatChunk } from '../ui/chunks.ts';
import { versionKey, type TurnIndex, type TurnView } from './turn-index.ts';

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

/**
 * Brings a finished copy of the message up to date: outcomes and calls that came while nobody told this client, then
 * everything after what it has seen.
 */
export class CatchUp {
  readonly seen: number;
  /** Of what the copy is made of: what was withdrawn meanwhile is not in it. */
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

  /** Whether the client may not have a chunk that it should have seen. */
  isMissing(chunk: ChatChunk, sequence: number): boolean {
    if ('toolCallId' in chunk) {
      const known = this.#copy.calls.get(chunk.toolCallId);
      return !known || (!known.settled && chunk.type.startsWith('tool-output-'));
    }
    const key = versionKey(chunk);
    return key !== null && this.#newestOf(key) === sequence;
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

  #newestOf(key: string): number | undefined {
    if (!this.#newest.has(key))
      this.#newest.set(key, this.#index.newest(key, this.seen, this.view));
    return this.#newest.get(key);
  }
}
