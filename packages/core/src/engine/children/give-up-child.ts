import type { CommitPlan } from '../../store/commit-plan.ts';
import type { CallResult, CloseReason, JournalRow } from '../../store/rows.ts';
import type { Done, GiveUpReason, LoopRun } from '../../loop/host.ts';
import { failure } from '../rows/answer-result.ts';
import { announceClose } from '../announce/announce-close.ts';
import { announceChildEnd, childUsage } from '../announce/child-end.ts';
import { tryCloseChildrenApart } from './close-child.ts';
import { closedChild, closeTree } from './close-tree.ts';
import { nothingToClose, type TreeClose } from './tree-close.ts';
import { collectChild } from './collect-child.ts';
import type { EngineContext } from '../context.ts';
import {
  isAskedHere,
  readChildOf,
  readStepTree,
  sessionOf,
  type ChildView,
} from '../rows/child-view.ts';
import { isTerminal, owns } from '../rows/session-status.ts';
import { readStepView, type StepScope } from '../rows/step-view.ts';
import { commitSurely, epochGuard } from '../rows/write.ts';

const OK: Done = { ok: true };
const STALE: Done = { ok: false, code: 'stale' };

/** Ends a child from above and records an error for its call. Nothing happens while a person keeps it (`isKept`). */
export async function giveUpChild(
  ctx: EngineContext,
  run: LoopRun,
  index: number,
  reason: GiveUpReason,
  detail?: string,
): Promise<Done> {
  // A child in its own store may have taken in an answer that is not settled here yet.
  if (reason === 'timeout') await collectChild(ctx, run, index);
  for (;;) {
    const view = await readStepView(ctx, run);
    if (!view || !owns(view.session, run)) return STALE;
    if (view.results.has(index)) return OK;
    const child = await readChildOf(ctx, view, index);
    if (child?.reference.state !== 'live') return OK;
    if (isKept(child, reason)) return OK;
    const result = resultFor(child, reason, detail);
    const closeReason: CloseReason = reason === 'timeout' ? 'timeout' : 'failed';
    const subtree = await closeSubtree(ctx, child, closeReason);
    const plan = giveUpPlan({ ctx, run, view }, { child, result, closeReason, subtree });
    const isRecorded = async (): Promise<boolean> =>
      (await readStepView(ctx, run))?.results.has(index) ?? false;
    if (!(await commitSurely(view.store, plan, isRecorded))) continue;
    if (reason === 'dispatch_failed') logDispatchFailure(ctx, child, detail);
    await announceClose(ctx, view.session, subtree);
    await announceChildEnd(ctx, view.session, child.reference, result);
    if (child.place !== 'same-store') await tryCloseChildrenApart(ctx, view.session);
    return OK;
  }
}

function logDispatchFailure(
  ctx: EngineContext,
  { reference }: ChildView,
  error: string | undefined,
): void {
  const { sessionId, parentToolCallId: toolCallId } = reference;
  ctx.logger.error('subagent.dispatch_failed', { sessionId, toolCallId, error });
}

/**
 * Whether a call of its subtree keeps the child from being given up. A child that ran out of time is kept while a call is open
 * or its answer is not taken in yet. So is one that cannot be reached, for any reason, by the rows in the parent's store. One
 * in its own store whose run failed is kept while a call is open: accepted answers are delivered with its close. Pure.
 */
export function isKept(child: ChildView, reason: GiveUpReason): boolean {
  switch (child.place) {
    case 'same-store':
      return reason === 'timeout' && isAskedHere(child);
    case 'own-store': {
      const { callsHere, callsThere } = child;
      if (reason === 'error') return callsHere.some((row) => row.state === 'open');
      const isAskedThere = callsThere.some((row) => row.state !== 'settled');
      return reason === 'timeout' && (isAskedHere(child) || isAskedThere);
    }
    case 'unreachable':
      return isAskedHere(child);
  }
}

/** In the same store the subtree closes in the same batch. In a store of its own, or if it has ended, there is nothing to add. */
async function closeSubtree(
  ctx: EngineContext,
  child: ChildView,
  reason: CloseReason,
): Promise<TreeClose> {
  if (child.place !== 'same-store' || !child.session || isTerminal(child.session))
    return nothingToClose();
  const below = await readStepTree(ctx, child.ref);
  if (!below || isTerminal(below.session)) return nothingToClose();
  return closeTree(ctx, below, reason, closedChild(below.session, reason));
}

/** A child that is given up, and what closes with it. */
interface GivenUp {
  readonly child: ChildView;
  readonly result: CallResult;
  readonly closeReason: CloseReason;
  readonly subtree: TreeClose;
}

function giveUpPlan(
  { ctx, run, view }: StepScope,
  { child, result, closeReason, subtree }: GivenUp,
): CommitPlan {
  const { session } = view;
  const { reference } = child;
  const now = ctx.clock.now();
  const key = {
    sessionId: session.sessionId,
    stepId: session.stepId,
    index: reference.index,
    kind: 'result' as const,
  };
  const data = { ...result, run: session.turn };
  const row: JournalRow = { ...key, data, createdAt: now };
  const set =
    child.place === 'same-store'
      ? { state: 'closed' as const, status: 'failed' as const, completedAt: now }
      : { state: 'closing' as const, status: 'failed' as const, closeReason };
  return {
    kind: 'record',
    rootId: session.rootId,
    commitId: ctx.newId(),
    now,
    guard: {
      // A call that the child registers meanwhile may keep it.
      sessions: [
        { ...epochGuard(run, session.stepId), records: session.records },
        ...subtree.guards,
      ],
      callsOpen: subtree.callsOpen,
      references: [
        { sessionId: session.sessionId, subSessionId: reference.subSessionId, state: 'live' },
      ],
      journalAbsent: [key],
    },
    sessions: [{ sessionId: session.sessionId, raise: { records: true } }, ...subtree.sessions],
    insert: {
      journal: [row, ...subtree.left],
      messages: subtree.messages,
      usage: [childUsage(ctx, view, child, result, now), ...subtree.usage],
    },
    update: {
      calls: subtree.calls,
      references: [
        { sessionId: session.sessionId, subSessionId: reference.subSessionId, set },
        ...subtree.references,
      ],
      runs: subtree.runs,
    },
    remove: { journal: subtree.journal, interrupts: subtree.interrupts },
  };
}

function resultFor(child: ChildView, reason: GiveUpReason, detail: string | undefined): CallResult {
  const { agentType } = child.reference;
  switch (reason) {
    case 'timeout':
      return failure('subagent_timeout', `Sub-agent ${agentType} ran out of time.`);
    case 'dispatch_failed':
      return failure(
        'subagent_dispatch_failed',
        `Sub-agent ${agentType} could not be started: ${detail ?? 'unknown'}.`,
      );
    case 'error': {
      const message = sessionOf(child)?.error?.message ?? detail ?? 'unknown error';
      return failure('subagent_failed', `Sub-agent ${agentType} failed: ${message}`);
    }
  }
}
