import type { Statement, StatementResult } from '@helix-agents/store-sql';

/** Statements that are applied whole or not at all. */
export interface Batch {
  readonly statements: readonly Statement[];
  /** Need not wait for the disk. */
  readonly relaxed: boolean;
  /** Stop if the first statement changes no row. */
  readonly stopAtMiss: boolean;
}

export type Outcome =
  | { readonly results: readonly StatementResult[] }
  /** Nothing of the batch was written. */
  | { readonly error: unknown };

interface Waiting {
  readonly batch: Batch;
  readonly writer: string | undefined;
  readonly resolve: (results: readonly StatementResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Writing blocks the event loop, so it is bounded. */
const MOST_AT_ONCE = 64;
/** Taken when this module is loaded, so that fake timers of a test do not apply. */
const afterThisTurn = setImmediate;

/**
 * Batches of different writers share a transaction, and with it one fsync. `write` gives one outcome for each batch, in order; later,
 * while another process holds the lock.
 *
 * I1. A batch is written at once if its writer wrote the last transaction alone, if no writer wrote before, or if it names no writer: a
 *     single active session never waits.
 * I2. All other batches are written at the end of this turn of the event loop, together with those that arrived by then.
 * I3. While another process holds the lock, batches wait behind those that came first; if that takes too long, all of them fail.
 */
export function shareTransactions(
  write: (batches: readonly Batch[]) => readonly Outcome[] | Promise<readonly Outcome[]>,
): (batch: Batch, writer?: string) => Promise<readonly StatementResult[]> {
  let waiting: Waiting[] = [];
  /** The writer of the last transaction if it had only one; null before the first. */
  let lastAlone: string | null | undefined = null;
  let isLocked = false;

  const flush = (): void => {
    if (isLocked || waiting.length === 0) return;
    const group = waiting.slice(0, MOST_AT_ONCE);
    waiting = waiting.slice(MOST_AT_ONCE);
    if (waiting.length > 0) afterThisTurn(flush);
    const writers = new Set(group.map(({ writer }) => writer));
    if (writers.size > 1) lastAlone = undefined;
    else lastAlone = group[0]?.writer ?? lastAlone;
    const written = write(group.map(({ batch }) => batch));
    if (written instanceof Promise) void afterLock(group, written);
    else settle(group, written);
  };

  /** I3 */
  const afterLock = async (
    group: readonly Waiting[],
    written: Promise<readonly Outcome[]>,
  ): Promise<void> => {
    isLocked = true;
    try {
      settle(group, await written);
    } catch (error) {
      for (const { reject } of [...group, ...waiting]) reject(error);
      waiting = [];
    }
    isLocked = false;
    if (waiting.length > 0) flush();
  };

  return (batch, writer) =>
    new Promise((resolve, reject) => {
      waiting.push({ batch, writer, resolve, reject });
      if (waiting.length > 1 || isLocked) return;
      const isAlone = writer === lastAlone || lastAlone === null;
      if (writer === undefined || isAlone) flush();
      else afterThisTurn(flush);
    });
}

function settle(group: readonly Waiting[], outcomes: readonly Outcome[]): void {
  for (const [place, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[place] as Outcome;
    if ('error' in outcome) reject(outcome.error);
    else resolve(outcome.results);
  }
}
