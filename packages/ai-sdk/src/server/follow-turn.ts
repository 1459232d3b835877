import type { StoredChunk } from '@helix-agents/core';
import type { ChatChunk } from '../ui/chunks.ts';
import { ChatProjection } from './chat-projection.ts';
import { CatchUp, type ClientCopy } from './catch-up.ts';
import type { ChatPosition, ChunkBatch } from './chat-events.ts';
import type { ChatDependencies } from './dependencies.ts';
import { liveChunks } from './live-chunks.ts';
import { readTurn, type ChatTurn } from './turn.ts';
import { readHistory } from './turn-history.ts';

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

/** Chunks of the stream that are sent in one piece, where they are all there. */
const TOGETHER = 64;

/** The turn as one assistant message, from where the client is to where the run stands still. */
export async function* followTurn(
  deps: ChatDependencies,
  turn: ChatTurn,
  options: FollowOptions,
): AsyncGenerator<readonly ChunkBatch[]> {
  const { starting, messageId } = options;
  // Needs no read, so the first byte does not wait for one.
  if (starting.from !== 'position') yield [{ chunks: [{ type: 'start', messageId }] }];
  yield* messageParts(deps, turn, options);
}

async function* messageParts(
  deps: ChatDependencies,
  turn: ChatTurn,
  { starting, later, signal }: FollowOptions,
): AsyncGenerator<readonly ChunkBatch[]> {
  const chunks = await readTurn(deps, turn);
  const catchUp = starting.from === 'copy' ? new CatchUp(starting.copy, chunks) : null;
  const seen = starting.from === 'position' ? starting.after.sequence : (catchUp?.seen ?? 0);
  const committedOnly = starting.from === 'beginning' && deps.contentReplayEnabled === false;
  const { hidden, decided } = readHistory(chunks, { seen, committedOnly });
  const projection = new ChatProjection({ rootId: turn.sessionId, later, decided });
  const [old, unseen] = partition(chunks, seen);
  let news = false;
  const announce = (made: readonly ChatChunk[], sequence?: number): ChunkBatch => {
    news ||= made.length > 0;
    return sequence === undefined ? { chunks: made } : { sequence, chunks: made };
  };

  if (starting.from === 'position') {
    if (old.length === 0) return yield [{ chunks: OTHER_TURN }];
    yield [restOf(projection, old, starting.after)];
  }
  if (catchUp) yield [announce(missingIn(catchUp, projection, old))];
  for (let at = 0; at < unseen.length; at += TOGETHER) {
    yield unseen
      .slice(at, at + TOGETHER)
      .map(({ sequence, chunk }) =>
        announce(projection.accept(chunk, hidden.has(sequence)), sequence),
      );
  }
  for await (const { sequence, chunk } of liveChunks(deps, turn, chunks.at(-1)?.sequence, signal)) {
    yield [announce(projection.accept(chunk), sequence)];
  }
  if (catchUp) yield [announce(catchUp.refused((toolCallId) => projection.isOver(toolCallId)))];
  const end = projection.finish();
  yield [{ chunks: catchUp && !news ? nothingNew(end) : end }];
}

/** Takes in what the copy is made of; what was withdrawn meanwhile is not in it. */
function missingIn(
  catchUp: CatchUp,
  projection: ChatProjection,
  old: readonly StoredChunk[],
): readonly ChatChunk[] {
  const { hidden } = readHistory(old, { seen: 0 });
  for (const { sequence, chunk } of old)
    catchUp.saw(projection.accept(chunk, hidden.has(sequence)));
  return catchUp.missing();
}

/** The reader was cut in a message that is over: another turn has begun. Its page loads the snapshot. */
const OTHER_TURN: readonly ChatChunk[] = [
  { type: 'data-resync', data: { reason: 'another_turn' }, transient: true },
  { type: 'finish', finishReason: 'other' },
];

/** Takes in what was sent before the cut; returns the chunks of the last one that were not. */
function restOf(
  projection: ChatProjection,
  old: readonly StoredChunk[],
  { sequence, index }: ChatPosition,
): ChunkBatch {
  let made: readonly ChatChunk[] = [];
  for (const { chunk } of old) made = projection.accept(chunk);
  const firstIndex = index + 1;
  const cut = old.at(-1)?.sequence === sequence;
  return { sequence, firstIndex, chunks: cut ? made.slice(firstIndex) : [] };
}

function partition(
  chunks: readonly StoredChunk[],
  seen: number,
): [readonly StoredChunk[], readonly StoredChunk[]] {
  const at = chunks.findIndex(({ sequence }) => sequence > seen);
  return at === -1 ? [chunks, []] : [chunks.slice(0, at), chunks.slice(at)];
}

/** A client that sends answers by itself would send the same one again: it is told to stop. */
function nothingNew(end: readonly ChatChunk[]): readonly ChatChunk[] {
  if (end.some(({ type }) => type === 'error')) return end;
  const stopped = end.some(({ type }) => type === 'abort');
  const errorText = stopped
    ? 'The conversation was stopped. Send a message to go on.'
    : 'Nothing waits for this answer any more.';
  return [{ type: 'error', errorText }];
}
