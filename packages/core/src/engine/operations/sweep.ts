import type { SessionRow } from '../../store/rows.ts';
import type { SessionIndex } from '../../store/session-store.ts';
import { closeChildrenApart } from './close-child.ts';
import type { EngineContext } from './context.ts';

export interface SweepReport {
  /** Calls whose deadline passed: they are answered as expired now; message and chunk come with the resume. */
  readonly expired: number;
  /** References whose child was closed. */
  readonly closed: number;
  /** Settled calls past their retention. */
  readonly purged: number;
  /** Running roots without a live owner, for the caller to take over. */
  readonly dead: readonly SessionRow[];
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
  for (const rootId of due.overdueRoots) {
    const rows = await ctx.databases.of({ rootId, sessionId: rootId }).expireCalls(rootId, now);
    expired += rows.length;
    for (const { toolCallId, deadlineAt } of rows) {
      ctx.logger.warn('client_tool.timeout', { sessionId: rootId, toolCallId, deadlineAt });
    }
  }
  for (const { parent } of due.closing) await closeChildrenApart(ctx, parent);
  let purged = 0;
  for (const rootId of due.purgeableRoots) {
    purged += await ctx.databases.of({ rootId, sessionId: rootId }).purgeCalls(rootId, now);
  }
  const most = Math.max(
    due.overdueRoots.length,
    due.deadRoots.length,
    due.closing.length,
    due.purgeableRoots.length,
  );
  return { expired, closed: due.closing.length, purged, dead: due.deadRoots, more: most >= limit };
}
