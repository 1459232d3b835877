import type { CloseReason, SessionRow, StoredError } from '../../store/rows.ts';
import { announceTreeEnd } from '../announce/announce-close.ts';
import { announceEnd } from '../announce/announce-end.ts';
import { tryCloseChildrenApart } from '../children/close-child.ts';
import { closePlan } from '../children/tree-close.ts';
import { closeTree } from '../children/close-tree.ts';
import type { EngineContext } from '../context.ts';
import { isTerminal } from '../rows/session-status.ts';
import { readStepTree } from '../rows/child-view.ts';
import { commit } from '../rows/write.ts';
import { codedError } from '../../errors/coded-error.ts';

export interface AbortResult {
  /** `too_late`: the session had ended before. */
  readonly status: 'aborted' | 'too_late';
}

/** The hard stop of a root, with `runId` of that run alone: one batch closes its step and everything below, the session fails. From any process. */
export async function abortSession(
  ctx: EngineContext,
  root: SessionRow,
  reason: string | null,
  runId?: string,
): Promise<AbortResult> {
  const isMeant = (session: SessionRow): boolean => runId === undefined || session.runId === runId;
  const error = abortError(reason);
  const ended = await endTree(ctx, root, { reason: 'aborted', error, isMeant });
  return { status: ended ? 'aborted' : 'too_late' };
}

export function abortError(reason: string | null): StoredError {
  return codedError('run_aborted', reason ?? 'The run was aborted.');
}

export interface TreeEnd {
  readonly reason: CloseReason;
  readonly error: StoredError;
  /** Whether the session as it is found is still the one to end. */
  readonly isMeant: (session: SessionRow) => boolean;
  /** For good: it gets no further turn. */
  readonly closed?: boolean;
}

/** Closes the whole tree as failed. False when it had ended already, or is no longer the one that is meant. */
export async function endTree(
  ctx: EngineContext,
  root: SessionRow,
  { reason, error, isMeant, closed = false }: TreeEnd,
): Promise<boolean> {
  for (;;) {
    const view = await readStepTree(ctx, root);
    if (!view || isTerminal(view.session)) return false;
    const { session } = view;
    if (!isMeant(session)) return false;
    const commitId = ctx.newId();
    const parts = await closeTree(ctx, view, reason, {
      status: 'failed',
      epoch: session.epoch + 1,
      error,
      failureReason: reason,
      ...(closed && { closed }),
      lastCommit: commitId,
      leaseOwner: null,
      leaseUntil: null,
    });
    const open = view.calls.filter((row) => row.state === 'open');
    const plan = closePlan(ctx, session.rootId, commitId, parts);
    if (!(await commit(view.store, session, plan))) continue;
    for (const { toolCallId, toolName } of open) {
      ctx.logger.warn('client_tool.aborted', { sessionId: session.rootId, toolCallId, toolName });
    }
    await ctx.announcer.open(session.streamId);
    // The run that is stopped here may have committed a step and not announced it: it could not any more.
    await announceTreeEnd(ctx, view, parts);
    await tryCloseChildrenApart(ctx, session);
    await announceEnd(ctx, session, session.epoch + 1);
    return true;
  }
}
