/**
 * For hosts without leases: their engine knows which runs are alive, the row of a session does not.
 *
 * Owns: how the engine's reply becomes a row that the rest of the code reads, and about which runs the engine is asked.
 * Does not own: how the engine is asked (the runtime).
 */
import type { LoopRun, StartedChild } from '../loop/host.ts';
import type { SessionRow } from '../store/rows.ts';
import type { SessionIndex } from '../store/session-store.ts';
import { sleep } from '../engine/clock.ts';
import type { EngineContext } from '../engine/context.ts';
import type { SweepPage } from '../engine/human/sweep.ts';
import type { Operations } from './operations.ts';

/** Whether the engine still has the current run of that session. */
export type IsRunAlive = (session: SessionRow) => Promise<boolean>;

/** How long a claim may be without its run in the engine before it counts as forgotten. */
const START_GRACE_MS = 10_000;
/** A run that has written nothing for this long is asked about by a sweep. */
const SILENT_MS = 60_000;
/** How long one operation waits for a child with another owner, before the loop starts it again. */
const WAIT_FOR_CHILD_MS = 60_000;
/** While it waits, the engine is asked once per this many reads of the store. */
const ASK_ENGINE_EVERY = 10;

/**
 * The row of a running session as it should be read: started and alive while the engine has its run, else with a dead owner.
 * A run that had started counts as a crash; one that never started lost nothing and is started again.
 */
export async function checkEngineRun(
  ctx: EngineContext,
  session: SessionRow,
  isAlive: IsRunAlive,
): Promise<SessionRow> {
  if (session.hostKind !== ctx.identity.hostKind) return session;
  const isFresh = ctx.clock.now() - session.updatedAt < START_GRACE_MS;
  if ((!session.started && isFresh) || (await isAlive(session)))
    return { ...session, started: true, leaseUntil: null };
  return { ...session, started: false, leaseUntil: session.started ? 0 : null };
}

/** Running roots of this kind of host that have been silent: their row does not say whether their run is alive. */
export async function findSilent(
  ctx: EngineContext,
  index: SessionIndex,
  { limit, except }: SweepPage,
): Promise<readonly SessionRow[]> {
  const { hostKind, leaseMs } = ctx.identity;
  if (leaseMs !== null) return [];
  const silentSince = ctx.clock.now() - SILENT_MS;
  const leftOut = new Set(except);
  const silent: SessionRow[] = [];
  // The silent ones are last in the listing.
  for (let cursor: string | null | undefined; cursor !== null && silent.length < limit;) {
    const at = cursor === undefined ? {} : { cursor };
    const page = await index.listSessions({ status: ['running'], limit, ...at });
    for (const row of page.items) {
      if (row.hostKind !== hostKind || !row.started || row.updatedAt >= silentSince) continue;
      if (!leftOut.has(row.sessionId)) silent.push(row);
    }
    cursor = page.cursor;
  }
  return silent;
}

/**
 * `startChild` as one operation of an engine: waits a while for a child with another owner, so that its parent's
 * history does not grow meanwhile. `signal` ends the wait.
 */
export async function startOrAwaitChild(
  ctx: EngineContext,
  startChild: Operations['startChild'],
  call: { readonly run: LoopRun; readonly index: number },
  isAlive: IsRunAlive,
  signal: AbortSignal,
): Promise<StartedChild> {
  const giveUpAt = ctx.clock.now() + WAIT_FOR_CHILD_MS;
  for (let look = 1; ; look += 1) {
    const started = await startChild(call.run, call.index, { signal });
    if (!started.ok || started.kind !== 'wait' || ctx.clock.now() > giveUpAt) return started;
    if (look % ASK_ENGINE_EVERY === 0) await releaseLostChild(ctx, call, isAlive);
    if (!(await sleep(ctx.clock, ctx.limits.pollMs, signal))) return started;
  }
}

/**
 * A child that its parent waits for although the engine has lost its run. Marks the owner in its row as dead, so that the
 * parent takes the child over.
 */
async function releaseLostChild(
  ctx: EngineContext,
  { run, index }: { readonly run: LoopRun; readonly index: number },
  isAlive: IsRunAlive,
): Promise<void> {
  const step = await ctx.databases.of(run).readStep(run);
  const reference = step?.references.find(
    (row) => row.stepId === step.session.stepId && row.index === index,
  );
  if (!reference) return;
  const { hostKind } = ctx.identity;
  const child = { rootId: run.rootId, sessionId: reference.subSessionId };
  const store = ctx.databases.of(child);
  const session = await store.readSession(child);
  if (session?.status !== 'running' || session.hostKind !== hostKind || !session.started) return;
  if (await isAlive(session)) return;
  const { sessionId, version, epoch } = session;
  await store.commit({
    kind: 'lease',
    rootId: run.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: { sessions: [{ sessionId, version, epoch, status: ['running'] }] },
    sessions: [{ sessionId, set: { leaseOwner: hostKind, leaseUntil: 0 } }],
  });
}
