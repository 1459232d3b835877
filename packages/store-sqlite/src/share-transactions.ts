import type { Statement, StatementResult } from '@helix-agents/store-sql';

/** Statements that are written all or not at all. */
export interface Batch {
  readonly statements: readonly Statement[];
  /** Need not wait for the disk. */
  readonly relaxed: boolean;
  /** Ends after a first statement that changed nothing. */
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

/** Writing blocks the process, so that others have to get a turn now and then. */
const MOST_AT_ONCE = 64;
/** Taken when this module is loaded: a test that fakes timers does not mean this one. */
const afterThisTurn = setImmediate;

/**
 * Batches that share a transaction, and with it the wait for the disk. `write` gives one outcome for each, in order.
 *
 * I1. Who wrote last and alone, or first of all, and whoever gives no name, is written at once: a session by itself never waits
 *     for company.
 * I2. Others are written when this turn of the event loop is over, with all that have come by then.
 */
export function shareTransactions(
  write: (batches: readonly Batch[]) => readonly Outcome[],
): (batch: Batch, writer?: string) => Promise<readonly StatementResult[]> {
  let waiting: Waiting[] = [];
  /** Null before anybody with a name. */
  let lastAlone: string | null | undefined = null;

  const flush = (): void => {
    const group = waiting.slice(0, MOST_AT_ONCE);
    waiting = waiting.slice(MOST_AT_ONCE);
    if (waiting.length > 0) afterThisTurn(flush);
    const writers = new Set(group.map(({ writer }) => writer));
    if (writers.size > 1) lastAlone = undefined;
    else lastAlone = group[0]?.writer ?? lastAlone;
    const outcomes = write(group.map(({ batch }) => batch));
    for (const [place, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[place] as Outcome;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.results);
    }
  };

  return (batch, writer) =>
    new Promise((resolve, reject) => {
      waiting.push({ batch, writer, resolve, reject });
      if (waiting.length > 1) return;
      const isAlone = writer === lastAlone || lastAlone === null;
      if (writer === undefined || isAlone) flush();
      else afterThisTurn(flush);
    });
}
