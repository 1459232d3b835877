import type { SessionRef } from '@helix-agents/core/store';
import { LEASE_MS } from './process.ts';
import { until } from './waiting.ts';
import type { World } from './world.ts';

/** The lease of this session alone is over, whatever its owner holds besides. A database that loses replies is asked again. */
export async function runsOut(world: World, ref: SessionRef): Promise<void> {
  const { rootId, sessionId } = ref;
  const store = world.storeOf(ref);
  const sessions = [{ sessionId, set: { leaseUntil: 0 } }];
  const plan = { rootId, commitId: 'lease', now: world.clock.now(), guard: {}, sessions };
  await until('it is over', () => store.commit({ kind: 'lease', ...plan }).catch(() => false));
}

/** Its owner has renewed it, if it is its owner still. */
export async function isRenewed(world: World, ref: SessionRef): Promise<void> {
  const { epoch, leaseOwner } = await world.session(ref.sessionId);
  const store = world.storeOf(ref);
  const now = world.clock.now();
  const renewal = { ...ref, epoch, owner: leaseOwner ?? '', extendMs: LEASE_MS, now };
  const isHeard = (): Promise<boolean> =>
    store.renewLease(renewal).then(
      () => true,
      () => false,
    );
  await until('it is renewed', isHeard);
}
