// If this fails: readers that begin at different moments are shown different messages, or a long turn fills the memory.
import type { StoredChunk, StreamChunk } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { ChatProjection } from '../src/server/chat-projection.ts';
import { TurnIndex } from '../src/server/turn-index.ts';

const base = { agentId: 's', agentType: 'a', timestamp: 0 };
const text = (step: number, delta: string): StreamChunk => ({
  ...base,
  step,
  type: 'text_delta',
  delta,
});
const discard = (step: number): StreamChunk => ({
  ...base,
  step,
  type: 'step_discarded',
  reason: 'retry',
});
const commit = (step: number): StreamChunk =>
  ({ ...base, step, type: 'step_committed' }) as StreamChunk;

/** Two steps; the first attempt at each is taken back. */
const turn: readonly StoredChunk[] = [
  text(0, 'a'), // 1
  text(0, 'b'), // 2
  discard(0), // 3
  text(0, 'c'), // 4
  commit(0), // 5
  text(1, 'd'), // 6
  text(1, 'e'), // 7
  discard(1), // 8
  text(1, 'f'), // 9
  text(1, 'g'), // 10
].map((chunk, at) => ({ sequence: at + 1, chunk }));

function indexOf(chunks: readonly StoredChunk[]): TurnIndex {
  const index = new TurnIndex('s');
  for (const stored of chunks) index.add(stored);
  return index;
}

const hiddenIn = (
  index: TurnIndex,
  seen: number,
  head: number,
  committedOnly = false,
): number[] => {
  const view = index.view({ seen, head, committedOnly });
  return turn.map(({ sequence }) => sequence).filter((sequence) => view.isHidden(sequence));
};

describe('the index of a turn', () => {
  it('hides what was taken back, with the chunk that takes it back', () => {
    expect(hiddenIn(indexOf(turn), 0, 10)).toEqual([1, 2, 3, 6, 7, 8]);
  });

  it('shows a client that saw a part how it is taken back', () => {
    expect(hiddenIn(indexOf(turn), 1, 10)).toEqual([2, 6, 7, 8]);
    expect(hiddenIn(indexOf(turn), 6, 10)).toEqual([7]);
  });

  it('does not change for a reader that began before, when others add to it', () => {
    const index = indexOf(turn.slice(0, 7));
    const before = index.view({ seen: 0, head: 7 });
    for (const stored of turn.slice(7)) index.add(stored);
    expect(
      turn.filter(({ sequence }) => before.isHidden(sequence)).map((one) => one.sequence),
    ).toEqual([1, 2, 3]);
  });

  it('hides the text of a step that is not committed, where that is wanted', () => {
    expect(hiddenIn(indexOf(turn), 0, 10, true)).toEqual([1, 2, 3, 6, 7, 8, 9, 10]);
  });

  it('says where a copy with so many steps ended', () => {
    expect([0, 1, 2].map((steps) => indexOf(turn).seenBy(steps))).toEqual([0, 5, 10]);
  });

  it.each([false, true])(
    'lets readers share what they are sent, whenever they began (ai 7: %s)',
    (later) => {
      for (const { sequence: begin } of turn) {
        const whole = new ChatProjection({ rootId: 's', later });
        const late = new ChatProjection({ rootId: 's', later });
        const view = indexOf(turn.slice(0, begin)).view({ seen: 0, head: begin });
        for (const { sequence, chunk } of turn) {
          const shown = whole.accept(chunk);
          const isHidden = view.isHidden(sequence);
          const same = late.accept(chunk, isHidden);
          if (!isHidden) expect([begin, sequence, same]).toEqual([begin, sequence, shown]);
        }
      }
    },
  );
});
