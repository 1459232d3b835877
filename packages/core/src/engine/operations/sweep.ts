import { HookScope } from '../../hooks/fire-hooks.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { SessionIndex } from '../../store/session-store.ts';
import { closeChildrenApart } from './close-child.ts';
import type { EngineContext } from './context.ts';

export interface SweepReport {
  /** Calls whose deadline passed: they are answered as expired now; message and chunk come with the resume. */
  readonly expired: number;
  /** Calls whose reminder was fired. */
  readonly reminded: number;
  /** References whose child was closed. */
  readonly closed: number;
  /** Settled calls past their retention. */
  readonly purged: number;
  /** Running roots without a live owner, for the caller to take over. */
  readonly dead: readonly SessionRow[];
  /** Suspended roots whose calls are all answered: a resume would go on. */
  readonly answered: readonly SessionRow[];
  /** More may be due. */
  readonly more: boolean;
}

/** One pass over what is due. Moves rows and logs, nothing else; callable from any timer, any number of times. */
export async function sweep(
  ctx: EngineContext,
  index: SessionIndex,
  limit: number,
): Promise<SweepReport> {
  const now = ctx.clock.now();
  const due = await index.findDue({ now, hostKind: ctx.identity.hostKind, limit });
  let expired = 0;
  for (const rootId of due.overdueRoots) expired += await expireOverdue(ctx, rootId);
  const reminders = await remind(ctx, due.remindableRoots, now);
  for (const { parent } of due.closing) await closeChildrenApart(ctx, parent);
  let purged = 0;
  for (const rootId of due.purgeableRoots) {
    purged += await ctx.databases.of({ rootId, sessionId: rootId }).purgeCalls(rootId, now);
  }
  const lists = [
    due.overdueRoots,
    due.remindableRoots,
    due.deadRoots,
    due.answeredRoots,
    due.closing,
    due.purgeableRoots,
  ];
  return {
    expired,
    reminded: reminders,
    closed: due.closing.length,
    purged,
    dead: due.deadRoots,
    answered: due.answeredRoots,
    more: lists.some((list) => list.length >= limit),
  };
}

/** Moves the root's overdue calls to expired in one write; says how many. Also done by resume, for its own root. */
export async function expireOverdue(ctx: EngineContext, rootId: string): Promise<number> {
  const root = { rootId, sessionId: rootId };
  const rows = await ctx.databases.of(root).expireCalls(rootId, ctx.clock.now());
  for (const { toolCallId, deadlineAt } of rows) {
    ctx.logger.warn('client_tool.timeout', { sessionId: rootId, toolCallId, deadlineAt });
  }
  return rows.length;
}

/** Taken first, fired after: two sweeps at once remind once. The hooks are those of the agent that asks. */
async function remind(ctx: EngineContext, roots: readonly string[], now: number): Promise<number> {
  let reminded = 0;
  for (const rootId of roots) {
    const ref = { rootId, sessionId: rootId };
    for (const call of await ctx.databases.of(ref).takeReminders(rootId, now)) {
      reminded += 1;
      const owner = { rootId, sessionId: call.ownerSessionId };
      const session = await ctx.databases.of(owner).readSession(owner);
      if (session) await new HookScope(ctx, session).fire('onCallReminder', { call });
    }
  }
  return reminded;
}
