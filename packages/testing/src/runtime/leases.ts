import type { SessionRef } from '@helix-agents/core';
import { LEASE_MS } from './process.ts';
import { until } from './waiting.ts';
import type { World } from './world.ts';

/** The lease of this session alone is over, whatever its owner holds besides. */
export function runsOut(world: World, ref: SessionRef): Promise<void> {
  return setLease(world, ref, 0);
}

/** Its owner has renewed it. */
export function isRenewed(world: World, ref: SessionRef): Promise<void> {
  return setLease(world, ref, world.clock.now() + LEASE_MS);
}

/** A database that loses replies is asked again. */
async function setLease(world: World, ref: SessionRef, leaseUntil: number): Promise<void> {
  const { rootId, sessionId } = ref;
  const store = world.runtime.databases.of(ref);
  const sessions = [{ sessionId, set: { leaseUntil } }];
  const plan = { rootId, commitId: 'lease', now: world.clock.now(), guard: {}, sessions };
  await until('it is written', () => store.commit(plan).catch(() => false));
}
