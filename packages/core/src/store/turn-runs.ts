import type { MessageRow, RunRow, SessionRef } from './rows.ts';
import type { SessionStore } from './session-store.ts';

const FEW_RUNS = 8;

/**
 * The runs of the turn that a user message began: the one that was claimed with it, then resumes and retries. The claim
 * writes both at one time; of turns that began in the same millisecond, message and run have the same place from the end.
 * Of a message that no run was claimed with, those of the newest turn. A session may have had thousands of runs: they are read
 * from the end.
 */
export async function readTurnRuns(
  store: Pick<SessionStore, 'readRuns' | 'readMessages'>,
  ref: SessionRef,
  message?: Pick<MessageRow, 'createdAt' | 'sequence'>,
): Promise<readonly RunRow[]> {
  for (let last = FEW_RUNS; ; last *= 4) {
    const runs = await store.readRuns(ref, { last });
    const isWhole = runs.length < last;
    const at = message?.createdAt;
    const began = runs.flatMap((run, place) => (begins(run) && run.startedAt === at ? place : []));
    // The turns of one moment may go on before those that were read.
    if (message && !isWhole && (began.length === 0 || runs[0]?.startedAt === at)) continue;
    const found = message && (await placeAmong(store, ref, message, began));
    const first = found ?? runs.findLastIndex(begins);
    if (first !== -1) return turnFrom(runs, first);
    if (isWhole) return [];
  }
}

/** Of the runs that began when the message was stored, the one that was claimed with it. */
async function placeAmong(
  store: Pick<SessionStore, 'readMessages'>,
  ref: SessionRef,
  { createdAt, sequence }: Pick<MessageRow, 'createdAt' | 'sequence'>,
  began: readonly number[],
): Promise<number | undefined> {
  if (began.length < 2) return began[0];
  let later = 0;
  for (let after = sequence; later < began.length; after += 1) {
    const [next] = await store.readMessages(ref, { after, limit: 1 });
    if (next?.createdAt !== createdAt) break;
    if (next.message.role === 'user') later += 1;
  }
  return began[Math.max(0, began.length - 1 - later)];
}

function begins({ trigger }: RunRow): boolean {
  return trigger === 'execute';
}

function turnFrom(runs: readonly RunRow[], first: number): readonly RunRow[] {
  const next = runs.findIndex((run, place) => place > first && begins(run));
  return runs.slice(first, next === -1 ? undefined : next);
}
