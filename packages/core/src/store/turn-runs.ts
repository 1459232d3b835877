import type { MessageRow, RunRow, SessionRef } from './rows.ts';
import type { SessionStore } from './session-store.ts';

const FEW_RUNS = 8;

/**
 * The runs of the turn that a user message began: the one that was claimed with it, then resumes and retries. The claim
 * writes both at one time. Of a message that no run was claimed with, those of the newest turn. A session may have had
 * thousands of runs: they are read from the end.
 */
export async function readTurnRuns(
  store: Pick<SessionStore, 'readRuns'>,
  ref: SessionRef,
  message?: Pick<MessageRow, 'createdAt'>,
): Promise<readonly RunRow[]> {
  for (let last = FEW_RUNS; ; last *= 4) {
    const runs = await store.readRuns(ref, { last });
    const isWhole = runs.length < last;
    const began = runs.findLastIndex((run) => begins(run) && run.startedAt === message?.createdAt);
    const first = began === -1 && (isWhole || !message) ? runs.findLastIndex(begins) : began;
    if (first !== -1) return turnFrom(runs, first);
    if (isWhole) return [];
  }
}

function begins({ trigger }: RunRow): boolean {
  return trigger === 'execute';
}

function turnFrom(runs: readonly RunRow[], first: number): readonly RunRow[] {
  const next = runs.findIndex((run, place) => place > first && begins(run));
  return runs.slice(first, next === -1 ? undefined : next);
}
