import type { SkillDefinition } from '@helix-agents/core';
import { bakeSkills } from './bake/bake-skills.ts';
import { decideCommit } from './decide-commit.ts';
import { SkillSyncError } from './errors.ts';
import { resolveRef, type Resolved, type Wanted } from './git/resolve-ref.ts';
import type { GitPlace } from './git/run-git.ts';
import { fetchSnapshot, isInHistory, type FetchContext, type Snapshot } from './git/snapshot.ts';
import type { SyncLimits } from './limits.ts';
import { lockKey, type LockedSource, type LockEntry } from './lock.ts';
import { DEFAULT_SKILLS_DIR, type ManifestEntry, type MarketplaceEntry } from './manifest.ts';
import { findFolders, locatePlugin, placesOfPlugin } from './sources/find-folders.ts';
import { visible } from './visible.ts';

export interface LoadContext extends FetchContext {
  readonly limits: SyncLimits;
  readonly isCheck: boolean;
  /** By `lockKey`. */
  readonly locked: ReadonlyMap<string, LockEntry>;
  /** Where servers are asked for their refs. */
  readonly git: GitPlace;
  /** By what was asked for: entries of one repository ask it once, and see the same state of it. */
  readonly resolved: Map<string, Promise<Resolved>>;
  /** By address and commit. */
  readonly snapshots: Map<string, Promise<Snapshot>>;
}

export interface LoadedEntry {
  readonly lock: LockEntry;
  readonly skills: readonly SkillDefinition[];
  readonly warnings: readonly string[];
}

/** Where the skills of an entry are, once everything is fetched. */
interface Located {
  readonly snapshot: Snapshot;
  readonly places: readonly string[];
  readonly pluginSource?: LockedSource;
}

/** Fetches what an entry of the manifest names, and turns it into plain data. */
export async function loadEntry(context: LoadContext, entry: ManifestEntry): Promise<LoadedEntry> {
  const now = await resolveOnce(context, entry);
  const { source } = entry;
  const place =
    source === 'git'
      ? { skillsDir: entry.skillsDir ?? DEFAULT_SKILLS_DIR }
      : { plugin: entry.plugin };
  const identity = { source, url: now.url, ref: now.ref, ...place };
  const locked = context.locked.get(lockKey(identity));
  const snapshot = await openSnapshot(context, now, locked);
  const located: Located =
    source === 'git'
      ? { snapshot, places: [entry.skillsDir ?? DEFAULT_SKILLS_DIR] }
      : await locate(context, entry, { snapshot, locked });
  const found = await findFolders(located.snapshot, located.places);
  const baked = await bakeSkills(located.snapshot, found, {
    include: entry.include,
    locked: locked?.skills ?? [],
    limits: context.limits,
  });
  const lock: LockEntry = {
    ...identity,
    commit: snapshot.commit,
    ...(located.pluginSource && { pluginSource: located.pluginSource }),
    integrity: baked.integrity,
    skills: baked.skills.map(({ name }) => name).toSorted(),
  };
  refuseEdited(lock, locked);
  return { lock, skills: baked.skills, warnings: baked.warnings };
}

async function locate(
  context: LoadContext,
  { plugin }: MarketplaceEntry,
  { snapshot, locked }: { readonly snapshot: Snapshot; readonly locked: LockEntry | undefined },
): Promise<Located> {
  const found = await locatePlugin(snapshot, plugin);
  if (!found.wanted) return { snapshot, places: await placesOfPlugin(snapshot, found) };
  const now = await resolveOnce(context, found.wanted);
  const before = locked?.pluginSource;
  const isSame = before?.url === now.url && before.ref === now.ref;
  const other = await openSnapshot(context, now, isSame ? before : undefined);
  return {
    snapshot: other,
    places: await placesOfPlugin(other, found),
    pluginSource: { ...now, commit: other.commit },
  };
}

function resolveOnce({ git, resolved }: LoadContext, wanted: Wanted): Promise<Resolved> {
  const { url, ref, version, sha } = wanted;
  const key = JSON.stringify([url, ref, version, sha]);
  const resolving = resolved.get(key) ?? resolveRef(git, wanted);
  resolved.set(key, resolving);
  return resolving;
}

async function openSnapshot(
  context: LoadContext,
  now: Resolved,
  locked: LockedSource | undefined,
): Promise<Snapshot> {
  const decision = decideCommit(now, locked, context.isCheck);
  if ('pastOf' in decision && !(await isInHistory(context, decision.pastOf, decision.take))) {
    throw new SkillSyncError(
      'skills_ref_moved',
      `${now.ref} of ${visible(now.url)} does not contain the locked commit ${decision.take}: the branch was rewritten, or the lock file edited. Look at it, then run \`helix-skills sync\`.`,
    );
  }
  const key = `${now.url} ${decision.take}`;
  const fetching =
    context.snapshots.get(key) ?? fetchSnapshot(context, { url: now.url, commit: decision.take });
  context.snapshots.set(key, fetching);
  return fetching;
}

/** The same commit and the same skills have the same bytes. */
function refuseEdited(lock: LockEntry, locked: LockEntry | undefined): void {
  if (!locked || locked.integrity === lock.integrity) return;
  const isSame =
    locked.commit === lock.commit &&
    locked.pluginSource?.commit === lock.pluginSource?.commit &&
    locked.skills.join() === lock.skills.join();
  if (!isSame) return;
  throw new SkillSyncError(
    'skills_lock_invalid',
    `The lock file has another integrity for ${visible(lock.url)} than commit ${lock.commit} has. Restore it from version control, or delete the entry and sync again.`,
  );
}
