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
  /** The newest of each kind of what was worked out from it. */
  readonly made: Map<string, { readonly of: string; readonly value: Promise<unknown> }>;
}

export interface HeldIndex {
  readonly index: TurnIndex;
  /** Reads on to what is stored now, once for all who ask meanwhile. */
  readonly update: () => Promise<void>;
  /** What is worked out from one state of the turn, once for all who ask while somebody holds it. */
  readonly once: <T>(kind: string, of: string, work: () => Promise<T>) => Promise<T>;
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
    once: (kind, of, work) => once(found.made, kind, of, work),
    release() {
      if (!isHeld) return;
      isHeld = false;
      found.readers -= 1;
      if (found.readers === 0) turns.delete(key);
    },
  };
}

function once<T>(
  made: Shared['made'],
  kind: string,
  of: string,
  work: () => Promise<T>,
): Promise<T> {
  const known = made.get(kind);
  if (known?.of === of) return known.value as Promise<T>;
  const value = work();
  made.set(kind, { of, value });
  value.catch(() => made.delete(kind));
  return value;
}

function begin({ sessionId, startSequence }: ChatTurn): Shared {
  const index = new TurnIndex(sessionId);
  return {
    index,
    readers: 0,
    cursor: startSequence,
    isOver: false,
    reading: null,
    made: new Map(),
  };
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
