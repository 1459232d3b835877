import { HookScope } from '../hooks/fire-hooks.ts';
import type { OpenCallRow, SessionRef, SessionRow } from '../../store/rows.ts';
import type { SessionIndex } from '../../store/session-store.ts';
import { eachAtOnce } from '../../util/each-at-once.ts';
import { logTimeout } from '../rows/call-timeout.ts';
import { closeChildrenApart } from '../children/close-child.ts';
import type { EngineContext } from '../context.ts';
import { withRootAgent } from '../require-agent.ts';
import { rootRef } from '../../store/session-place.ts';

/** Hooks that may run at the same time: one that hangs does not hold up the others. */
const HOOKS_AT_ONCE = 4;

export interface SweepReport {
  /** Calls whose deadline passed: they are answered as expired now; message and chunk come with the resume. */
  readonly expired: number;
  /** Calls whose reminder was fired. */
  readonly reminded: number;
  /** References whose child was closed. */
  readonly closed: number;
  /** Settled calls and inputs past their retention. */
  readonly purged: number;
  /** Suspended tops whose calls are all answered: a resume would go on. */
  readonly answered: readonly SessionRow[];
  /** Tops for which something failed; it is still due. */
  readonly failed: readonly string[];
  /** More may be due. */
  readonly more: boolean;
  /** More may be answered. */
  readonly moreAnswered: boolean;
}

export interface SweepPage {
  /** Of each kind of work. */
  readonly limit: number;
  /** Tops to leave out. */
  readonly except: readonly string[];
}

/**
 * One pass over what is due. Changes rows and logs, nothing else; callable from any timer, any number of times.
 * `takeUp` gets the running tops without a live owner, before anything that may take long. A failure for one of them is
 * logged and does not affect the others.
 */
export async function sweep(
  ctx: EngineContext,
  index: SessionIndex,
  page: SweepPage,
  takeUp: (dead: readonly SessionRow[]) => Promise<void>,
): Promise<SweepReport> {
  const now = ctx.clock.now();
  const due = await index.findDue({ now, hostKind: ctx.identity.hostKind, ...page });
  const failed = new Set<string>();
  const each = async (
    tops: readonly SessionRef[],
    act: (top: SessionRef) => Promise<number>,
    atOnce = 1,
  ): Promise<number> => {
    let done = 0;
    await eachAtOnce(atOnce, tops, async (top) => {
      const { sessionId } = top;
      try {
        const some = await act(top);
        done += some;
      } catch (error) {
        failed.add(sessionId);
        ctx.logger.error('sweep.item_failed', { sessionId, error: String(error) });
      }
    });
    return done;
  };
  const expired = await each(due.overdueTops, (top) => expireOverdue(ctx, top));
  await takeUp(due.deadTops);
  const parents = parentsByRoot(due.closing);
  const closed = await each([...parents.keys()].map(rootRef), ({ rootId }) =>
    closeBelow(ctx, parents.get(rootId) ?? []),
  );
  const purged = await each(due.purgeableTops, (top) => purge(ctx, top, now));
  const reminded = await each(due.remindableTops, (top) => remind(ctx, top, now), HOOKS_AT_ONCE);
  const { answeredTops: answered, overdueTops, deadTops, closing, purgeableTops } = due;
  const work = [overdueTops, deadTops, closing, purgeableTops, due.remindableTops];
  const more = work.some((list) => list.length >= page.limit);
  const moreAnswered = answered.length >= page.limit;
  return { expired, reminded, closed, purged, answered, failed: [...failed], more, moreAnswered };
}

/** Moves the unit's overdue calls to expired in one write; returns how many. A resume does it for its own unit too. */
export async function expireOverdue(ctx: EngineContext, top: SessionRef): Promise<number> {
  const rows = await ctx.databases.of(top).expireCalls(top, ctx.clock.now());
  for (const row of rows) logTimeout(ctx, row);
  return rows.length;
}

/** Deletes what is past its retention; returns how many rows. */
async function purge(ctx: EngineContext, top: SessionRef, now: number): Promise<number> {
  const store = ctx.databases.of(top);
  return (await store.purgeCalls(top, now)) + (await store.purgeInputs(top, now));
}

/** Each parent once, however many children it has. */
function parentsByRoot(
  closing: readonly { readonly parent: SessionRef }[],
): ReadonlyMap<string, SessionRef[]> {
  const parents = new Map(closing.map(({ parent }) => [parent.sessionId, parent]));
  return Map.groupBy(parents.values(), ({ rootId }) => rootId);
}

/** If the children of one parent cannot be closed it rejects after the others are. */
async function closeBelow(ctx: EngineContext, parents: readonly SessionRef[]): Promise<number> {
  let closed = 0;
  const failures: unknown[] = [];
  for (const parent of parents) {
    const some = await closeChildrenApart(ctx, parent).catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
    closed += some;
  }
  if (failures.length > 0) throw failures[0];
  return closed;
}

/** Reminders are taken first and fired after, so that two sweeps remind once. The hooks are those of the agent that asks. */
async function remind(ctx: EngineContext, top: SessionRef, now: number): Promise<number> {
  const calls = await ctx.databases.of(top).takeReminders(top, now);
  await eachAtOnce(HOOKS_AT_ONCE, calls, (call) => fireReminder(ctx, call));
  return calls.length;
}

async function fireReminder(ctx: EngineContext, call: OpenCallRow): Promise<void> {
  const owner = { rootId: call.rootId, sessionId: call.ownerSessionId };
  const session = await ctx.databases.of(owner).readSession(owner);
  if (!session) return;
  await withRootAgent(ctx, owner, () =>
    new HookScope(ctx, session).fire('onCallReminder', { call }),
  );
}
