import type { SessionRow } from '../../store/rows.ts';
import { announceEnd, announceMissedEnd } from '../announce/announce-end.ts';
import type { EngineContext } from '../context.ts';
import { callKey } from '../../store/call-key.ts';
import { isSuspended } from '../rows/session-status.ts';
import { commit, versionGuard } from '../rows/write.ts';

export type InterruptResult =
  /** A running run will obey at its next boundary. */
  | { readonly status: 'requested'; readonly runId: string }
  /** The session was waiting and is interrupted now; its open calls are cancelled. */
  | { readonly status: 'interrupted'; readonly runId: string }
  /** Nothing runs or waits any more. */
  | { readonly status: 'too_late' };

/** The soft stop of a root, durable and from any process, meant for its current run only; with `runId` for no other. */
export async function interruptSession(
  ctx: EngineContext,
  root: SessionRow,
  reason: string | null,
  runId?: string,
): Promise<InterruptResult> {
  const store = ctx.databases.of(root);
  for (let session: SessionRow | null = root; session; session = await store.readSession(root)) {
    if (runId !== undefined && session.runId !== runId) return { status: 'too_late' };
    if (session.status === 'running') {
      const only = runId === undefined ? {} : { runId };
      const row = await store.requestInterrupt(session, reason, ctx.clock.now(), only);
      if (row) return { status: 'requested', runId: row.runId };
    } else if (isSuspended(session)) {
      if (await interruptSuspended(ctx, session, reason))
        return { status: 'interrupted', runId: session.runId };
    } else {
      await announceMissedEnd(ctx, session);
      return { status: 'too_late' };
    }
  }
  return { status: 'too_late' };
}

async function interruptSuspended(
  ctx: EngineContext,
  session: SessionRow,
  reason: string | null,
): Promise<boolean> {
  const store = ctx.databases.of(session);
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const open = (await store.readCalls(session.rootId)).filter((row) => row.state === 'open');
  // Opened first: if this process dies, an open stream shows that an announcement is missing.
  await ctx.announcer.open(session.streamId);
  const applied = await commit(store, session, {
    kind: 'suspend',
    rootId: session.rootId,
    commitId,
    now,
    guard: { sessions: [{ ...versionGuard(session), status: [session.status] }] },
    sessions: [
      {
        sessionId: session.sessionId,
        set: { status: 'interrupted', failureReason: reason, lastCommit: commitId, updatedAt: now },
        raise: { version: true },
      },
    ],
    update: {
      // A row that was answered in between keeps its answer.
      calls: open.map((row) => ({
        key: callKey(row),
        set: { state: 'answered', outcome: 'cancelled', answer: { kind: 'none' }, answeredAt: now },
        onlyIf: 'open',
      })),
    },
  });
  if (!applied) return false;
  for (const { toolCallId, toolName } of open) {
    ctx.logger.warn('client_tool.aborted', { sessionId: session.rootId, toolCallId, toolName });
  }
  await ctx.announcer.open(session.streamId);
  await announceEnd(ctx, session, session.epoch);
  return true;
}
