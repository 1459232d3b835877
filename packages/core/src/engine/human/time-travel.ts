import { InvalidRequestError } from '../../errors/request-errors.ts';
import { AgentAlreadyRunningError } from '../../errors/session-errors.ts';
import type { CheckpointRow, SessionRef, SessionRow } from '../../store/rows.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { LoopRun } from '../../loop/host.ts';
import { entry, speakerOf, withdrawEntry } from '../announce/chunk-entries.ts';
import { claim } from '../claim/claim.ts';
import { tryCloseChildrenApart } from '../children/close-child.ts';
import { closeTree } from '../children/close-tree.ts';
import { closeWrites, type CloseWrites } from '../children/tree-close.ts';
import type { EngineContext } from '../context.ts';
import { leftSteps } from '../rows/left-steps.ts';
import { readStepTree } from '../rows/child-view.ts';

const PAGE = 100;

/**
 * Goes back to a checkpoint in place and claims the session, in one commit: what came after it is removed, open calls
 * are cancelled, children of the half step closed. Step ids and stream numbers go on. A checkpoint of a suspension goes
 * back to before that step: the model is asked again.
 */
export async function claimFromCheckpoint(
  ctx: EngineContext,
  root: SessionRow,
  checkpointId: string,
): Promise<LoopRun> {
  const store = ctx.databases.of(root);
  for (;;) {
    const view = await readStepTree(ctx, root);
    if (!view || view.session.status === 'running')
      throw new AgentAlreadyRunningError(root.sessionId);
    const { session } = view;
    const checkpoint = await findCheckpoint(store, root, checkpointId);
    const parts = await closeTree(ctx, view, 'aborted', {});
    const run = await claim(
      ctx,
      { session },
      {
        trigger: 'resume',
        fromCheckpointId: checkpointId,
        beside: cutBack(closeWrites(parts), session, checkpoint),
      },
    );
    if (!run) continue;
    const now = ctx.clock.now();
    await ctx.announcer.announce(session.streamId, [
      ...leftSteps(view, 'aborted').map((left) => withdrawEntry(session, left, now)),
      entry(speakerOf(session), now, 'stream_resync', {
        reason: 'time_travel',
        details: { checkpointId },
      }),
    ]);
    await tryCloseChildrenApart(ctx, session);
    return run;
  }
}

/** The close of the half step, without its messages, and with everything after the checkpoint removed. */
function cutBack(
  close: CloseWrites,
  { sessionId }: SessionRow,
  checkpoint: CheckpointRow,
): CloseWrites {
  const { customState, stepCount, version } = checkpoint;
  const messageCount = completeMessages(checkpoint);
  return {
    ...close,
    sessions: (close.sessions ?? []).map((update) =>
      update.sessionId === sessionId
        ? { ...update, set: { ...update.set, messageCount, customState, stepCount } }
        : update,
    ),
    insert: {
      ...close.insert,
      messages: (close.insert?.messages ?? []).filter((row) => row.sessionId !== sessionId),
    },
    remove: {
      ...close.remove,
      messagesAfter: [{ sessionId, sequence: messageCount }],
      checkpointsAfter: [{ sessionId, version }],
    },
  };
}

/** Messages that make a valid transcript: a suspension's checkpoint ends with calls that have no results. */
export function completeMessages(checkpoint: CheckpointRow): number {
  return checkpoint.status.startsWith('suspended_')
    ? checkpoint.messageCount - 1
    : checkpoint.messageCount;
}

export async function findCheckpoint(
  store: SessionStore,
  ref: SessionRef,
  checkpointId: string,
): Promise<CheckpointRow> {
  let before: number | undefined;
  for (;;) {
    const range = before === undefined ? { limit: PAGE } : { limit: PAGE, before };
    const page = await store.readCheckpoints(ref, range);
    const found = page.find((checkpoint) => checkpoint.checkpointId === checkpointId);
    if (found) return found;
    before = page.at(-1)?.version;
    if (page.length < PAGE || before === undefined) {
      const message = `session ${ref.sessionId} has no checkpoint ${checkpointId}; listCheckpoints shows those it has`;
      throw new InvalidRequestError([{ path: 'checkpointId', message }]);
    }
  }
}
