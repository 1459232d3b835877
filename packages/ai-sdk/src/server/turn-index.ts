import type { ChunkType, StoredChunk } from '@helix-agents/core';
import { ChatProjection } from './chat-projection.ts';
import { addToSpans, DiscardedSpans, isInSpans, type Span } from './spans.ts';

export interface ViewOptions {
  /** The client has seen all chunks up to this number, including withdrawn ones. */
  readonly seen: number;
  /** Chunks after this number are not taken into account. */
  readonly head: number;
  /** Text of a step that is not committed is left out. */
  readonly committedOnly?: boolean;
}

/** What is left out for a client that begins at a given number, because of later chunks. */
export interface TurnView {
  /** A later chunk withdraws it, and the client has not seen it. */
  readonly isHidden: (sequence: number) => boolean;
  /** Calls whose approval was requested and decided after the last chunk that the client has seen. */
  readonly decided: ReadonlySet<string>;
}

const RUN_ENDS: ReadonlySet<ChunkType> = new Set([
  'run_suspended',
  'run_interrupted',
  'run_completed',
  'run_failed',
]);

const IN_PROGRESS: ReadonlySet<ChunkType> = new Set([
  'text_delta',
  'thinking',
  'tool_arg_stream_start',
  'tool_arg_stream_delta',
]);

/** Chunks of an agent's step that was neither committed nor discarded yet. */
interface OpenStep {
  readonly all: Span[];
  readonly inProgress: Span[];
  /** The model was stopped: the session keeps what it said, as after a commit. */
  isStopped: boolean;
}

/**
 * An index of the chunks of a turn by number: which were withdrawn, which approvals were decided, where steps begin. It
 * holds no chunks, so that one index serves all readers of a turn of any length.
 */
export class TurnIndex {
  /** Numbers of the first and the last chunk that were added; 0 while there is none. */
  first = 0;
  head = 0;
  readonly #open = new Map<string, OpenStep>();
  readonly #discarded = new DiscardedSpans();
  readonly #asked = new Map<string, number>();
  readonly #decisions: { readonly toolCallId: string; readonly asked: number; at: number }[] = [];
  readonly #stepStarts: number[] = [];
  readonly #runEnds: number[] = [];
  /** The numbers of each version of data that replaces earlier data. */
  readonly #versions = new Map<string, number[]>();
  readonly #projection: ChatProjection;

  constructor(rootId: string) {
    this.#projection = new ChatProjection({ rootId, later: false });
  }

  /** In the order of their numbers, each once. */
  add({ sequence, chunk }: StoredChunk): void {
    this.first ||= sequence;
    this.head = sequence;
    this.#addToStep(sequence, chunk);
    if (RUN_ENDS.has(chunk.type)) this.#runEnds.push(sequence);
    if (chunk.type === 'tool_approval_request') this.#asked.set(chunk.toolCallId, sequence);
    if (chunk.type === 'tool_start' || chunk.type === 'tool_end') {
      const asked = this.#asked.get(chunk.toolCallId);
      if (asked !== undefined)
        this.#decisions.push({ toolCallId: chunk.toolCallId, asked, at: sequence });
      this.#asked.delete(chunk.toolCallId);
    }
    for (const made of this.#projection.accept(chunk)) {
      if (made.type === 'start-step') this.#stepStarts.push(sequence);
      const key = versionKey(made);
      if (key === null) continue;
      const known = this.#versions.get(key);
      if (known) known.push(sequence);
      else this.#versions.set(key, [sequence]);
    }
  }

  view({ seen, head, committedOnly = false }: ViewOptions): TurnView {
    const decided = this.#decisions.filter(({ asked, at }) => asked > seen && at <= head);
    const inProgress = committedOnly ? this.#inProgress() : [];
    return {
      decided: new Set(decided.map(({ toolCallId }) => toolCallId)),
      isHidden: (sequence) =>
        sequence <= head &&
        (this.#discarded.hides(sequence, seen, head) || isInSpans(inProgress, sequence)),
    };
  }

  /** The last number in a copy with that many steps: the end of a run in the last step, or else the chunk before the next step. */
  seenBy(steps: number): number {
    const next = this.#stepStarts[steps] ?? Infinity;
    return this.#runEnds.findLast((end) => end < next) ?? Math.min(next - 1, this.head);
  }

  /** Number of the newest version of this data up to a number that is not hidden. */
  newest(key: string, upTo: number, { isHidden }: TurnView): number | undefined {
    return this.#versions.get(key)?.findLast((one) => one <= upTo && !isHidden(one));
  }

  /** Text and inputs of the steps that are open now. */
  #inProgress(): readonly Span[] {
    const open = [...this.#open.values()].filter(({ isStopped }) => !isStopped);
    const spans = open.flatMap(({ inProgress }) => inProgress.map((span) => ({ ...span })));
    return spans.toSorted((a, b) => a.from - b.from);
  }

  #addToStep(sequence: number, chunk: StoredChunk['chunk']): void {
    const place = `${chunk.step}:${chunk.agentId}`;
    const step = this.#open.get(place) ?? { all: [], inProgress: [], isStopped: false };
    const isOver = chunk.type === 'step_discarded' || chunk.type === 'step_committed';
    if (isOver) this.#open.delete(place);
    else if (!chunk.type.startsWith('run_')) this.#open.set(place, step);
    addToSpans(step.all, sequence);
    if (IN_PROGRESS.has(chunk.type)) addToSpans(step.inProgress, sequence);
    if (chunk.type === 'step_stopped') step.isStopped = true;
    if (chunk.type === 'step_discarded') this.#discarded.add(step.all, sequence);
  }
}

/** Names data that replaces earlier data of the same name; null for everything else. */
export function versionKey(chunk: { readonly type: string }): string | null {
  const { id, data } = chunk as { readonly id?: string; readonly data?: unknown };
  return id !== undefined && data !== undefined ? `${chunk.type}:${id}` : null;
}
