import type { ChunkType, StoredChunk } from '@helix-agents/core';

export interface HistoryOptions {
  /** What came up to this number was seen by the client, withdrawn or not. */
  readonly seen: number;
  /** Text of a step that is not committed is left out. */
  readonly committedOnly?: boolean;
}

/** What is known about chunks that were all written before the client looks at those it has not seen. */
export interface TurnHistory {
  readonly chunks: readonly StoredChunk[];
  /** Sequences of chunks the client is not shown, because a later one takes them back. */
  readonly hidden: ReadonlySet<number>;
  /** Calls whose approval was asked and decided since the client looked. */
  readonly decided: ReadonlySet<string>;
}

export function readHistory(chunks: readonly StoredChunk[], options: HistoryOptions): TurnHistory {
  return { chunks, hidden: hiddenIn(chunks, options), decided: decidedSince(chunks, options.seen) };
}

function hiddenIn(chunks: readonly StoredChunk[], options: HistoryOptions): ReadonlySet<number> {
  const hidden = new Set<number>();
  const anything = options.committedOnly || chunks.some(isDiscard);
  if (!anything) return hidden;
  const spoken = new Map<string, StoredChunk[]>();
  for (const stored of chunks) {
    const { chunk } = stored;
    const place = `${chunk.step}:${chunk.agentId}`;
    const said = spoken.get(place) ?? [];
    if (chunk.type === 'step_discarded' || chunk.type === 'step_committed') spoken.delete(place);
    else if (!chunk.type.startsWith('run_')) spoken.set(place, said);
    said.push(stored);
    if (chunk.type !== 'step_discarded') continue;
    const unseen = said.filter((one) => one.sequence > options.seen);
    // What the client saw is taken back in front of it: then the discard itself, the last of them, is sent.
    if (unseen.length < said.length) unseen.pop();
    for (const one of unseen) hidden.add(one.sequence);
  }
  if (options.committedOnly) {
    const open = [...spoken.values()].filter((said) => !said.some(isStop));
    for (const { sequence, chunk } of open.flat()) {
      if (IN_PROGRESS.has(chunk.type)) hidden.add(sequence);
    }
  }
  return hidden;
}

function isDiscard({ chunk }: StoredChunk): boolean {
  return chunk.type === 'step_discarded';
}

/** What it ends is kept by the session, as a commit is. */
function isStop({ chunk }: StoredChunk): boolean {
  return chunk.type === 'step_stopped';
}

function decidedSince(chunks: readonly StoredChunk[], seen: number): ReadonlySet<string> {
  const asked = new Set<string>();
  const decided = new Set<string>();
  for (const { sequence, chunk } of chunks) {
    if (chunk.type === 'tool_approval_request' && sequence > seen) asked.add(chunk.toolCallId);
    const moved = chunk.type === 'tool_start' || chunk.type === 'tool_end';
    if (moved && asked.has(chunk.toolCallId)) decided.add(chunk.toolCallId);
  }
  return decided;
}

const IN_PROGRESS: ReadonlySet<ChunkType> = new Set([
  'text_delta',
  'thinking',
  'tool_arg_stream_start',
  'tool_arg_stream_delta',
]);
