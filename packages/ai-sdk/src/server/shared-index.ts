import type { StreamManager } from '@helix-agents/core';
import type { ChatDependencies } from './dependencies.ts';
import { storedChunks } from './stored-chunks.ts';
import { placeInTurn } from './turn-chunks.ts';
import { TurnIndex } from './turn-index.ts';
import type { ChatTurn } from './turn.ts';

type IndexDependencies = Pick<ChatDependencies, 'stateStore' | 'streamManager'>;

/** Up to the last chunk before another turn, and how many use it. */
interface Shared {
  readonly index: TurnIndex;
  readers: number;
  /** Number of the last chunk that was looked at, of this turn or not. */
  cursor: number;
  isOver: boolean;
  reading: Promise<void> | null;
}

export interface HeldIndex {
  readonly index: TurnIndex;
  /** Reads on to what is stored now, once for all who ask meanwhile. */
  readonly update: () => Promise<void>;
  /** To be called when nobody uses it any more; the last one frees it. */
  readonly release: () => void;
}

const shared = new WeakMap<StreamManager, Map<string, Shared>>();

/** The index of a turn, one for all who read the turn in this process. */
export function holdIndex(deps: IndexDependencies, turn: ChatTurn): HeldIndex {
  const turns = shared.get(deps.streamManager) ?? new Map<string, Shared>();
  shared.set(deps.streamManager, turns);
  const [firstRun = ''] = turn.runIds;
  const key = JSON.stringify([turn.streamId, firstRun]);
  const found = turns.get(key) ?? begin(turn);
  turns.set(key, found);
  found.readers += 1;
  let isHeld = true;
  return {
    index: found.index,
    update: () =>
      (found.reading ??= readOn(deps, turn, found).finally(() => {
        found.reading = null;
      })),
    release() {
      if (!isHeld) return;
      isHeld = false;
      found.readers -= 1;
      if (found.readers === 0) turns.delete(key);
    },
  };
}

function begin({ sessionId, startSequence }: ChatTurn): Shared {
  const index = new TurnIndex(sessionId);
  return { index, readers: 0, cursor: startSequence, isOver: false, reading: null };
}

async function readOn(deps: IndexDependencies, turn: ChatTurn, found: Shared): Promise<void> {
  if (found.isOver) return;
  const chunks = storedChunks(deps.streamManager, turn.streamId, found.cursor);
  for await (const stored of chunks) {
    if (found.readers === 0) return;
    const place = await placeInTurn(deps, turn, stored.chunk);
    const begun = found.index.first > 0;
    if (begun && place === 'other') {
      found.isOver = true;
      return;
    }
    if (begun || place === 'own') found.index.add(stored);
    found.cursor = stored.sequence;
  }
}
