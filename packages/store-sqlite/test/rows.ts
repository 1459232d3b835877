import type { SessionRow } from '@helix-agents/core';
import type { CommitPlan } from '@helix-agents/core/store';
import { freshCommitId, planFor, sessionRow, T0 } from '@helix-agents/testing/rows';

/** Updates `s1` at version 1. */
export function planOf(parts: Partial<CommitPlan> = {}): CommitPlan {
  const sessions = [
    { sessionId: 's1', set: { updatedAt: T0 + 1 }, raise: { version: true } },
  ] as const;
  return planFor(sessionRow(), {
    sessions,
    ...parts,
    commitId: parts.commitId ?? crypto.randomUUID(),
  });
}

export function seedOf(...sessions: readonly [SessionRow, ...SessionRow[]]): CommitPlan {
  const [{ rootId }] = sessions;
  const plan = { kind: 'create', rootId, commitId: freshCommitId(), now: T0, guard: {} } as const;
  return { ...plan, insert: { sessions } };
}
