import type { ChunkEvent } from '@helix-agents/http';
import type { ChatChunk } from '../ui/chunks.ts';
import { ChatProjection } from './chat-projection.ts';
import { CatchUp, type ClientCopy } from './catch-up.ts';
import { encodeBatch, encodeShared, type ChatPosition, type ChunkBatch } from './chat-events.ts';
import type { ChatDependencies } from './dependencies.ts';
import { Pieces } from './pieces.ts';
import { holdIndex } from './shared-index.ts';
import { turnChunks } from './turn-chunks.ts';
import type { TurnIndex, TurnView } from './turn-index.ts';
import type { ChatTurn } from './turn.ts';

/** What the client has of the message already. */
export type Starting =
  /** Nothing that counts: the whole message is sent. */
  | { readonly from: 'beginning' }
  /** An open reader of the same message that was cut after this chunk. */
  | { readonly from: 'position'; readonly after: ChatPosition }
  /** A finished response with these parts; it goes on from there in the same message. */
  | { readonly from: 'copy'; readonly copy: ClientCopy };

export interface FollowOptions {
  readonly starting: Starting;
  readonly messageId: string;
  readonly later: boolean;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

/**
 * The turn as one assistant message, from where the client is to where the run stands still, encoded. What is held for a
 * client does not grow with the turn: chunks are read as it takes them.
 */
export async function* followTurn(
  deps: ChatDependencies,
  turn: ChatTurn,
  options: FollowOptions,
): AsyncGenerator<Uint8Array> {
  const { starting, messageId, signal } = options;
  // Needs no read, so the first byte does not wait for one.
  if (starting.from !== 'position') yield encodeBatch({ chunks: [{ type: 'start', messageId }] });
  if (signal.aborted) return;
  const { index, update, release } = holdIndex(deps, turn);
  // A client that leaves while it is not being written to ends nothing else.
  signal.addEventListener('abort', release, { once: true });
  try {
    await update();
    yield* messageParts(deps, turn, index, options);
  } finally {
    release();
  }
}

async function* messageParts(
  deps: ChatDependencies,
  turn: ChatTurn,
  index: TurnIndex,
  options: FollowOptions,
): AsyncGenerator<Uint8Array> {
  const committedOnly =
    options.starting.from === 'beginning' && deps.contentReplayEnabled === false;
  const message = new MessageForClient(turn, index, { ...options, committedOnly });
  if (message.isOfOtherTurn) return yield encodeBatch({ chunks: OTHER_TURN });
  const { head } = index;
  const pieces = new Pieces();
  for await (const event of turnChunks(deps, turn, options.signal)) {
    yield* pieces.add(message.take(event));
    // More is there already: small ones go out together.
    if (event.sequence >= head) yield* pieces.flush();
  }
  yield* pieces.add(message.finish());
  yield* pieces.flush();
}

/** One client's view of the turn: what each chunk becomes for it. */
class MessageForClient {
  /** The reader was cut in a message that is over. */
  readonly isOfOtherTurn: boolean;
  readonly #projection: ChatProjection;
  readonly #catchUp: CatchUp | null;
  readonly #position: ChatPosition | null;
  readonly #view: TurnView;
  readonly #seen: number;
  readonly #clients: 'later' | 'earlier';
  /** From the next number on, what is sent is the same for all clients. */
  readonly #ownUpTo: number;
  #news = false;

  constructor(
    turn: ChatTurn,
    index: TurnIndex,
    {
      starting,
      later,
      committedOnly,
    }: Pick<FollowOptions, 'starting' | 'later'> & { readonly committedOnly: boolean },
  ) {
    const { first, head } = index;
    this.#position = starting.from === 'position' ? starting.after : null;
    this.#catchUp = starting.from === 'copy' ? new CatchUp(starting.copy, index) : null;
    this.#seen = Math.min(this.#position?.sequence ?? this.#catchUp?.seen ?? 0, head);
    this.isOfOtherTurn = this.#position !== null && (first === 0 || first > this.#seen);
    this.#view = index.view({ seen: this.#seen, head, committedOnly });
    const { decided } = this.#view;
    this.#projection = new ChatProjection({ rootId: turn.sessionId, later, decided });
    this.#clients = later ? 'later' : 'earlier';
    // A block that began hidden goes on under another id, for this client alone.
    this.#ownUpTo = committedOnly ? Infinity : later || decided.size === 0 ? 0 : head;
  }

  take(event: ChunkEvent): Uint8Array {
    const { sequence, chunk } = event;
    if (sequence <= this.#seen) return encodeBatch(this.#missingIn(event));
    const isHidden = this.#view.isHidden(sequence);
    const chunks = this.#projection.accept(chunk, isHidden);
    this.#news ||= chunks.length > 0;
    return isHidden || sequence <= this.#ownUpTo
      ? encodeBatch({ sequence, chunks })
      : encodeShared(event, { for: this.#clients, chunks });
  }

  finish(): Uint8Array {
    const refused = this.#catchUp?.refused((toolCallId) => this.#projection.isOver(toolCallId));
    this.#news ||= (refused ?? []).length > 0;
    const end = this.#projection.finish();
    const last = this.#catchUp && !this.#news ? nothingNew(end) : end;
    return encodeBatch({ chunks: [...(refused ?? []), ...last] });
  }

  /** What was sent before is taken in; of it only what the client does not have goes out. */
  #missingIn({ sequence, chunk }: ChunkEvent): ChunkBatch {
    if (this.#catchUp) {
      const made = this.#projection.accept(chunk, this.#catchUp.view.isHidden(sequence));
      const chunks = made.filter((one) => this.#catchUp?.isMissing(one, sequence));
      this.#news ||= chunks.length > 0;
      return { chunks };
    }
    const made = this.#projection.accept(chunk);
    if (sequence !== this.#position?.sequence) return { chunks: [] };
    const firstIndex = this.#position.index + 1;
    return { sequence, firstIndex, chunks: made.slice(firstIndex) };
  }
}

/** Another turn has begun. The page loads the snapshot. */
const OTHER_TURN: readonly ChatChunk[] = [
  { type: 'data-resync', data: { reason: 'another_turn' }, transient: true },
  { type: 'finish', finishReason: 'other' },
];

/** A client that sends answers by itself would send the same one again: it is told to stop. */
function nothingNew(end: readonly ChatChunk[]): readonly ChatChunk[] {
  if (end.some(({ type }) => type === 'error')) return end;
  const stopped = end.some(({ type }) => type === 'abort');
  const errorText = stopped
    ? 'The conversation was stopped. Send a message to go on.'
    : 'Nothing waits for this answer any more.';
  return [{ type: 'error', errorText }];
}
