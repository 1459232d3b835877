import { findSession, requireSession, type FacadeContext } from './facade-context.ts';

export interface InterruptFlag {
  readonly interrupted: true;
  readonly reason: string | null;
  readonly timestamp: number;
}

/** Asks the current run to stop. False when nothing is running that could obey. */
export async function setInterruptFlag(
  ctx: FacadeContext,
  sessionId: string,
  reason: string | undefined,
): Promise<boolean> {
  const session = await requireSession(ctx, sessionId);
  return (await ctx.sessions.requestInterrupt(session, reason ?? null, ctx.now())) !== null;
}

/** The stop request for the current run. Reading does not clear it: the code that obeys it does. */
export async function checkInterruptFlag(
  ctx: FacadeContext,
  sessionId: string,
): Promise<InterruptFlag | null> {
  const session = await findSession(ctx, sessionId);
  const rows = session && (await ctx.sessions.readStep(session));
  if (!rows?.interrupt) return null;
  const { reason, timestamp } = rows.interrupt;
  return { interrupted: true, reason, timestamp };
}

/** Withdraws the stop request for the current run, and only for that one. */
export async function clearInterruptFlag(ctx: FacadeContext, sessionId: string): Promise<void> {
  const { rootId, runId } = await requireSession(ctx, sessionId);
  await ctx.sessions.commit({
    kind: 'edit',
    rootId,
    commitId: ctx.newId(),
    now: ctx.now(),
    guard: {},
    sessions: [{ sessionId }],
    remove: { interrupts: [{ sessionId, runId }] },
  });
}
