import type { SessionRow } from '@helix-agents/core';
import type { CommitInserts, CommitPlan, SessionStore } from '@helix-agents/core/store';
import { T0 } from './rows.ts';

let commits = 0;

/** Never the same twice in a process. */
export function freshCommitId(): string {
  commits += 1;
  return `commit-${commits}`;
}

/** A commit on this session: names the version it read and raises it. `parts` replace what they name. */
export function planFor(session: SessionRow, parts: Partial<CommitPlan> = {}): CommitPlan {
  const { rootId, sessionId, version } = session;
  return {
    kind: 'step',
    rootId,
    commitId: freshCommitId(),
    now: T0,
    guard: { sessions: [{ sessionId, version }] },
    sessions: [{ sessionId, raise: { version: true } }],
    ...parts,
  };
}

/** A record: names epoch and step, raises `records` and leaves the version alone. */
export function recordFor(session: SessionRow, insert: CommitInserts): CommitPlan {
  const { sessionId, epoch, stepId } = session;
  return planFor(session, {
    kind: 'record',
    guard: { sessions: [{ sessionId, epoch, stepId, status: ['running'] }] },
    sessions: [{ sessionId, raise: { records: true } }],
    insert,
  });
}

/** Creates sessions of one tree with whatever belongs to them. */
export async function seed(
  store: SessionStore,
  insert: CommitInserts & { readonly sessions: readonly [SessionRow, ...SessionRow[]] },
): Promise<void> {
  const { rootId } = insert.sessions[0];
  const plan = { kind: 'create' as const, rootId, commitId: freshCommitId(), now: T0, guard: {} };
  if (!(await store.commit({ ...plan, insert })))
    throw new Error(`The store has ${rootId} already.`);
}
