import type { JsonObject } from '../../json.ts';
import type { UserMessage } from '../../messages/message.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { LoopRun } from '../../loop/host.ts';
import { announceMissedEnd } from '../announce/announce-end.ts';
import { loopRun, newRun } from '../claim/claim.ts';
import { tryCloseChildrenApart } from '../children/close-child.ts';
import { closePlan, closeTree } from '../children/close-tree.ts';
import type { EngineContext } from '../context.ts';
import { replaceFields } from '../rows/merge-state.ts';
import { messageRows } from '../rows/session-rows.ts';
import { isSuspended, readStepView } from '../rows/step-view.ts';
import { commit } from '../rows/write.ts';

/**
 * A new message instead of the answers: the half step closes as superseded, the message is added, `state` replaces its
 * fields of what the step left, and the session is claimed, in one write. Null when the session is no longer suspended or interrupted, or was answered meanwhile and has
 * to be looked at again.
 */
export async function supersede(
  ctx: EngineContext,
  root: SessionRow,
  messages: readonly UserMessage[],
  state?: JsonObject,
): Promise<LoopRun | null> {
  for (;;) {
    const view = await readStepView(ctx, root);
    if (!view || !(isSuspended(view.session) || view.session.status === 'interrupted')) return null;
    const { session } = view;
    const head = await announceMissedEnd(ctx, session);
    const now = ctx.clock.now();
    const commitId = ctx.newId();
    const { update, run, claimed } = newRun(ctx, session, 'execute', now, commitId, head);
    const parts = await closeTree(ctx, view, 'superseded', { ...update.set });
    const closed = parts.sessions[0];
    const { messageCount, customState } = { ...session, ...closed?.set };
    parts.sessions[0] = {
      sessionId: session.sessionId,
      set: {
        ...closed?.set,
        messageCount: messageCount + messages.length,
        customState: replaceFields(customState, state),
      },
      raise: { version: true },
    };
    const insert = {
      runs: [run],
      messages: messageRows({ ...session, messageCount }, messages, now),
    };
    const plan = closePlan(ctx, session.rootId, commitId, parts, { insert });
    if (!(await commit(view.store, session, plan))) continue;
    await ctx.announcer.open(session.streamId);
    await ctx.announcer.announce(session.streamId, parts.ends);
    await tryCloseChildrenApart(ctx, session);
    return loopRun(claimed);
  }
}
