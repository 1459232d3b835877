import { SkillSyncError } from './errors.ts';
import type { Resolved } from './git/resolve-ref.ts';
import type { LockedSource } from './lock.ts';
import { visible } from './visible.ts';

export type CommitDecision =
  | { readonly take: string }
  /** The locked commit, if the branch still has it in its past. */
  | { readonly take: string; readonly pastOf: Resolved };

/**
 * Which commit to take of a source, given where its ref points now and what was locked. A sync follows a branch; a check stays at
 * the locked commit. A tag does not move: neither of them takes another commit under the name of the same one.
 */
export function decideCommit(
  now: Resolved,
  locked: LockedSource | undefined,
  isCheck: boolean,
): CommitDecision {
  if (!locked) {
    if (!isCheck) return { take: now.commit };
    throw new SkillSyncError(
      'skills_out_of_date',
      `The lock file has no entry for ${now.ref} of ${visible(now.url)}. Run \`helix-skills sync\`.`,
    );
  }
  if (locked.commit === now.commit) return { take: now.commit };
  if (now.ref === now.commit) {
    throw new SkillSyncError(
      'skills_lock_invalid',
      `The lock file has ${locked.commit} of ${visible(now.url)} where the manifest names ${now.commit}. Restore it, or delete it and sync again.`,
    );
  }
  if (now.ref.startsWith('refs/tags/')) throw moved(now, locked);
  return isCheck ? { take: locked.commit, pastOf: now } : { take: now.commit };
}

function moved(now: Resolved, locked: LockedSource): SkillSyncError {
  return new SkillSyncError(
    'skills_ref_moved',
    `${now.ref} of ${visible(now.url)} was ${locked.commit} and is ${now.commit} now. Tags do not move by themselves: ` +
      `look at what changed. To take it, delete the entry from the lock file and sync again.`,
  );
}
