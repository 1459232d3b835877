import type { ChatChunk } from '../ui/chunks.ts';
import type { ChatPart } from '../ui/messages.ts';
import { isWithdrawnCall } from '../ui/withdrawn.ts';
import { ChatProjection } from './chat-projection.ts';
import type { ChatDependencies } from './dependencies.ts';
import { isUnfinishedInput, ReducedMessage } from './reduce-chunks.ts';
import { holdIndex, type HeldIndex } from './shared-index.ts';
import { storedChunks } from './stored-chunks.ts';
import type { TurnIndex } from './turn-index.ts';
import type { ChatTurn } from './turn.ts';

type ReplyDependencies = Pick<
  ChatDependencies,
  'stateStore' | 'streamManager' | 'contentReplayEnabled'
>;

/** The newest assistant message as the stream has it. */
export interface StreamedReply extends Pick<HeldIndex, 'once' | 'release'> {
  /** Number of the last chunk that is in it. */
  readonly sequence: number;
  readonly steps: number;
  readonly isEmpty: boolean;
  /** Its parts, each as soon as no later chunk changes it, so memory does not grow with the message. */
  readonly parts: () => AsyncIterable<ChatPart>;
}

/**
 * Reads the chunks twice. The first time finds the chunk that completes each part; it drops text and values, and concurrent
 * callers share it. The second time yields each part at that chunk.
 */
export async function readReply(deps: ReplyDependencies, turn: ChatTurn): Promise<StreamedReply> {
  const { index, update, once, release } = holdIndex(deps, turn);
  try {
    await update();
    const { first, head: sequence } = index;
    if (first === 0) {
      const { startSequence } = turn;
      return { sequence: startSequence, steps: 0, isEmpty: true, parts: nothing, once, release };
    }
    const read = chatChunks(deps, turn, index);
    const state = `${sequence} ${deps.contentReplayEnabled !== false}`;
    const { completions, ...size } = await once('outline', state, () => readOutline(read()));
    return { ...size, sequence, parts: () => completeParts(read(), completions), once, release };
  } catch (error) {
    release();
    throw error;
  }
}

interface Outline extends Pick<StreamedReply, 'steps' | 'isEmpty'> {
  /** Number of the chunk that completes each part, by the part's number. */
  readonly completions: ReadonlyMap<number, number>;
}

async function readOutline(read: AsyncIterable<ReadChunks>): Promise<Outline> {
  const parts = new NumberedParts();
  for await (const { sequence, chunks } of read) parts.add(sequence, chunks.map(withoutContent));
  const shown = parts.message.parts.filter(isShown);
  return {
    steps: shown.filter(({ type }) => type === 'step-start').length,
    isEmpty: shown.length === 0,
    completions: parts.completions(),
  };
}

async function* nothing(): AsyncGenerator<ChatPart> {}

interface ReadChunks {
  readonly sequence: number;
  readonly chunks: readonly ChatChunk[];
}

/** The chunks that are in the index now, as chat chunks. May be called more than once. */
function chatChunks(
  deps: ReplyDependencies,
  { sessionId, streamId }: ChatTurn,
  index: TurnIndex,
): () => AsyncGenerator<ReadChunks> {
  const { first, head } = index;
  const committedOnly = deps.contentReplayEnabled === false;
  const { isHidden } = index.view({ seen: 0, head, committedOnly });
  return async function* read() {
    const projection = new ChatProjection({ rootId: sessionId, later: true });
    for await (const { sequence, chunk } of storedChunks(deps.streamManager, streamId, first - 1)) {
      if (sequence > head) return;
      yield { sequence, chunks: projection.accept(chunk, isHidden(sequence)) };
    }
  };
}

/** A message whose parts have numbers, in the order in which they began: the same in every reading of the same chunks. */
class NumberedParts {
  readonly message: ReducedMessage = new ReducedMessage((part) => this.#note(part));
  readonly #numbers = new WeakMap<object, number>();
  /** The last chunk that changed each part, by the part's number. */
  readonly #changed: number[] = [];
  #sequence = 0;

  add(sequence: number, chunks: readonly ChatChunk[]): void {
    this.#sequence = sequence;
    this.message.add(chunks);
  }

  numberOf(part: object): number {
    return this.#numbers.get(part) ?? -1;
  }

  /** Number of the chunk that completes each remaining part, by the part's number. */
  completions(): ReadonlyMap<number, number> {
    const numbers = this.message.parts.map((part) => this.numberOf(part));
    return new Map(numbers.map((number) => [number, this.#changed[number] ?? 0]));
  }

  #note(part: object): void {
    const known = this.#numbers.get(part);
    const number = known ?? this.#changed.length;
    if (known === undefined) this.#numbers.set(part, number);
    this.#changed[number] = this.#sequence;
  }
}

async function* completeParts(
  read: AsyncIterable<ReadChunks>,
  completions: ReadonlyMap<number, number>,
): AsyncGenerator<ChatPart> {
  const parts = new NumberedParts();
  for await (const { sequence, chunks } of read) {
    parts.add(sequence, chunks);
    for (let [first] = parts.message.parts; first; [first] = parts.message.parts) {
      const complete = completions.get(parts.numberOf(first)) ?? Infinity;
      if (complete > sequence) break;
      parts.message.takeFirst();
      if (isShown(first)) yield first;
    }
  }
}

/** Other parts are sent again with the stream, or were withdrawn. */
function isShown(part: ChatPart): boolean {
  return !isUnfinishedInput(part) && !isWithdrawnCall(part as { errorText?: string });
}

/** The chunk without text and values, to save memory. */
function withoutContent(chunk: ChatChunk): ChatChunk {
  return {
    ...chunk,
    ...('delta' in chunk && { delta: '' }),
    ...('input' in chunk && { input: null }),
    ...('output' in chunk && { output: null }),
    ...('data' in chunk && { data: null }),
  };
}
