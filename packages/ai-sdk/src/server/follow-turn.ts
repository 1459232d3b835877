import type { StoredChunk } from '@helix-agents/core';
import type { ChatChunk } from '../ui/chunks.ts';
import { ChatProjection } from './chat-projection.ts';
import { CatchUp, type ClientCopy } from './catch-up.ts';
import type { ChatDependencies } from './dependencies.ts';
import type { ChatPosition, ChunkBatch } from './sse.ts';
import { newestRuns, notResumable, readTurn, type ChatTurn } from './turn.ts';
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
}

const LOOK_AGAIN_MS = 50;
/** Chunks of the stream that are sent in one piece, where they are all there. */
const TOGETHER = 64;

/** The turn as one assistant message, from where the client is to where the run stands still. */
export async function* followTurn(
  deps: ChatDependencies,
  turn: ChatTurn,
  { starting, messageId, later }: FollowOptions,
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
  } else {
    yield [{ chunks: [{ type: 'start', messageId }] }];
  }
  if (catchUp) yield [announce(missingIn(catchUp, projection, old))];
  for (let at = 0; at < unseen.length; at += TOGETHER) {
    yield unseen
      .slice(at, at + TOGETHER)
      .map(({ sequence, chunk }) =>
        announce(projection.accept(chunk, hidden.has(sequence)), sequence),
      );
  }
  for await (const { sequence, chunk } of live(deps, turn, chunks.at(-1)?.sequence)) {
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

/** Chunks of the turn as they are written, until its session no longer runs or another turn begins. */
async function* live(
  deps: ChatDependencies,
  turn: ChatTurn,
  last: number | undefined,
): AsyncGenerator<StoredChunk> {
  const { streamManager, stateStore } = deps;
  let after = last ?? turn.startSequence;
  let begun = last !== undefined;
  for (;;) {
    if (!streamManager.createResumableReader) throw notResumable('createResumableReader');
    const reader = await streamManager.createResumableReader(turn.streamId, {
      afterSequence: after,
    });
    try {
      for await (const stored of reader ?? []) {
        const { chunk } = stored;
        after = stored.sequence;
        if (chunk.type === 'run_started') {
          const ours = turn.runIds.has(chunk.runId) || (await isRetry(deps, turn, chunk.runId));
          if (begun && !ours) return;
          begun ||= ours;
        }
        if (begun) yield stored;
      }
    } finally {
      reader?.close();
    }
    // Claimed, and its stream not open yet; or its owner died and nobody has taken over.
    const state = await stateStore.loadState(turn.sessionId);
    if (state?.runStatus !== 'running') return;
    await new Promise((resolve) => void setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** A turn that failed and is tried again goes on in a run of its own. */
async function isRetry(
  { stateStore }: ChatDependencies,
  { sessionId }: ChatTurn,
  runId: string,
): Promise<boolean> {
  const [run] = await newestRuns(stateStore, sessionId, (one) => one.runId === runId);
  return run?.trigger === 'retry';
}
