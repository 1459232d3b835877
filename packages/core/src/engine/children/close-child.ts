import type {
  ChildReferenceRow,
  CloseReason,
  OpenCallRow,
  SessionRef,
  SessionRow,
} from '../../store/rows.ts';
import { announceClose } from '../announce/announce-close.ts';
import { childEndEntry } from '../announce/child-end.ts';
import { freshSession } from '../rows/fresh-session.ts';
import { closedChild, closeTree } from './close-tree.ts';
import { closePlan } from './tree-close.ts';
import type { EngineContext } from '../context.ts';
import { unannouncedChunks } from '../announce/unannounced-chunks.ts';
import { settleCall } from '../rows/session-rows.ts';
import { isTerminal } from '../rows/session-status.ts';
import { readStepTree } from '../rows/child-view.ts';
import { readStepView } from '../rows/step-view.ts';
import { commit, commitSurely } from '../rows/write.ts';
import { callKeyText } from '../../store/call-key.ts';
import { childRef, placeBelow, type SessionPlace } from '../../store/session-place.ts';
import { failure } from '../rows/answer-result.ts';

/**
 * Closes every child of this session whose reference is `closing` and returns how many. Idempotent; the sweep repeats it.
 * If one cannot be closed it rejects after the others are.
 */
export async function closeChildrenApart(ctx: EngineContext, parent: SessionRef): Promise<number> {
  const store = ctx.databases.of(parent);
  const references = await store.readReferences(parent);
  const closing = references.filter(({ state }) => state === 'closing');
  const session = closing.length > 0 ? await store.readSession(parent) : null;
  if (!session) return 0;
  const failures: unknown[] = [];
  for (const reference of closing) {
    await closeChildApart(ctx, session, reference).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  return closing.length;
}

async function closeChildApart(
  ctx: EngineContext,
  parent: SessionRow,
  reference: ChildReferenceRow,
): Promise<void> {
  const place = placeBelow(parent, reference.subSessionId);
  const calls = (await ctx.databases.of(parent).readCalls(parent.rootId)).filter((row) =>
    row.route.includes(place.sessionId),
  );
  const answers = new Map(
    calls.filter((row) => row.state === 'answered').map((row) => [callKeyText(row), row]),
  );
  await closeThere(ctx, place, reference, answers);
  await closeChildrenApart(ctx, place);
  await announceClosed(ctx, parent, reference);
  await acknowledge(ctx, parent, reference.subSessionId, calls);
}

/** As `closeChildrenApart`, after a commit that is not undone: what cannot be closed now is left to the sweep. */
export async function tryCloseChildrenApart(ctx: EngineContext, parent: SessionRef): Promise<void> {
  try {
    await closeChildrenApart(ctx, parent);
  } catch (error) {
    const { sessionId } = parent;
    ctx.logger.warn('subagent.close_failed', { sessionId, error: String(error) });
  }
}

/** In the child's store: a tombstone if it was never created, nothing if it has ended, else its close. */
async function closeThere(
  ctx: EngineContext,
  place: SessionPlace,
  { agentType, closeReason }: ChildReferenceRow,
  answers: ReadonlyMap<string, OpenCallRow>,
): Promise<void> {
  const reason = closeReason ?? 'aborted';
  const store = ctx.databases.of(place);
  for (;;) {
    const view = await readStepTree(ctx, place);
    const commitId = ctx.newId();
    if (!view) {
      const row = tombstone(ctx, place, agentType, reason, commitId);
      const plan = {
        kind: 'create' as const,
        rootId: place.rootId,
        commitId,
        now: ctx.clock.now(),
        guard: { sessions: [{ sessionId: place.sessionId, absent: true as const }] },
        insert: { sessions: [row] },
      };
      if (await commit(store, place, plan)) return;
      continue;
    }
    if (isTerminal(view.session)) return;
    const final = { ...closedChild(view.session, reason), lastCommit: commitId };
    const parts = await closeTree(ctx, view, reason, final, answers);
    if (!(await commit(store, place, closePlan(ctx, place.rootId, commitId, parts)))) continue;
    await announceClose(ctx, view.session, parts);
    return;
  }
}

/** Before the reference is closed, so that a repeated close announces it too, also when the root's run is over. */
async function announceClosed(
  ctx: EngineContext,
  parent: SessionRow,
  reference: ChildReferenceRow,
): Promise<void> {
  const child = await readStepView(ctx, childRef(parent, reference.subSessionId));
  if (!child || child.session.turn === 0) return;
  const reason = reference.closeReason ?? 'aborted';
  const { outcome } = failure('subagent_failed', `Ended by its parent (${reason}).`);
  const end = childEndEntry(parent, reference, outcome, ctx.clock.now());
  await ctx.announcer.add(parent.streamId, [...(await unannouncedChunks(ctx, child)), end]);
}

function tombstone(
  ctx: EngineContext,
  place: SessionPlace,
  agentType: string,
  reason: CloseReason,
  commitId: string,
): SessionRow {
  const row = freshSession(ctx, place, { agentType, customState: {} }, ctx.clock.now());
  return { ...row, ...closedChild(row, reason), version: 1, lastCommit: commitId };
}

/** At the parent: the reference is closed and the rows of the subtree are settled. */
async function acknowledge(
  ctx: EngineContext,
  parent: SessionRef,
  subSessionId: string,
  calls: readonly OpenCallRow[],
): Promise<void> {
  const store = ctx.databases.of(parent);
  const now = ctx.clock.now();
  const plan = {
    kind: 'abandon' as const,
    rootId: parent.rootId,
    commitId: ctx.newId(),
    now,
    guard: {
      references: [{ sessionId: parent.sessionId, subSessionId, state: 'closing' as const }],
    },
    sessions: [{ sessionId: parent.sessionId }],
    update: {
      calls: calls.filter((row) => row.state !== 'settled').map((row) => settleCall(row, now)),
      references: [
        {
          sessionId: parent.sessionId,
          subSessionId,
          set: { state: 'closed' as const, status: 'failed' as const, completedAt: now },
        },
      ],
    },
  };
  await commitSurely(store, plan, async () => {
    const references = await store.readReferences(parent);
    return references.some((row) => row.subSessionId === subSessionId && row.state === 'closed');
  });
}
