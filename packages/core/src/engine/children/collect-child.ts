import type { CallResult, JournalRow, OpenCallRow, SessionRow } from '../../store/rows.ts';
import type { CallUpdate } from '../../store/commit-plan.ts';
import type { Done, LoopRun } from '../../loop/host.ts';
import { announceAsked } from '../announce/announce-asked.ts';
import { failure } from '../rows/answer-result.ts';
import { announceChildEnd, childUsage } from '../announce/child-end.ts';
import { loopRun } from '../rows/loop-run.ts';
import type { EngineContext } from '../context.ts';
import { deadlines } from '../rows/open-call-rows.ts';
import { settleCall } from '../rows/session-rows.ts';
import { callIdTaken } from '../rows/taken-call-id.ts';
import { isTerminal, owns } from '../rows/session-status.ts';
import { readChildOf, type ChildInOwnStore, type ReachedChild } from '../rows/child-view.ts';
import { readStepView, type StepView } from '../rows/step-view.ts';
import { record } from '../rows/write.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';
import { isRoot, parentRef } from '../../store/session-place.ts';

const OK: Done = { ok: true };
const STALE: Done = { ok: false, code: 'stale' };

/**
 * Records at the parent what a child has come to: calls it opened, answers it took in, its end. Also while it runs.
 */
export async function collectChild(ctx: EngineContext, run: LoopRun, index: number): Promise<Done> {
  for (;;) {
    const view = await readStepView(ctx, run);
    if (!view || !owns(view.session, run)) return STALE;
    const recorded = view.results.get(index);
    if (recorded) {
      // The process that recorded it may have died before it announced it.
      const reference = view.references.find(
        (row) => row.stepId === view.session.stepId && row.index === index,
      );
      if (reference) await announceChildEnd(ctx, view.session, reference, recorded);
      return OK;
    }
    const child = await readChildOf(ctx, view, index);
    if (!child || child.place === 'unreachable' || child.reference.state !== 'live') return OK;
    const found = await findNews(ctx, view, child);
    if (!found) return OK;
    if (await writeNews(ctx, run, view, child, found)) return OK;
  }
}

interface News {
  readonly opened: readonly OpenCallRow[];
  readonly acknowledged: readonly CallUpdate[];
  readonly result: CallResult | null;
}

async function findNews(
  ctx: EngineContext,
  view: StepView,
  child: ReachedChild,
): Promise<News | null> {
  const result = child.session && isTerminal(child.session) ? resultOfChild(child.session) : null;
  const { opened, acknowledged } =
    child.place === 'own-store'
      ? await compareCalls(ctx, view, child)
      : { opened: [], acknowledged: [] };
  if (!result && opened.length === 0 && acknowledged.length === 0) return null;
  return { opened, acknowledged, result };
}

/** For a child in its own store: calls open there and absent here, and answers here that it has taken in. */
async function compareCalls(
  ctx: EngineContext,
  view: StepView,
  child: ChildInOwnStore,
): Promise<{ opened: OpenCallRow[]; acknowledged: CallUpdate[] }> {
  const now = ctx.clock.now();
  const openThere = child.callsThere.filter((row) => row.state === 'open');
  const keysThere = new Set(openThere.map(callKeyText));
  const keysHere = new Set(child.callsHere.map(callKeyText));
  const acknowledged = child.callsHere
    .filter((row) => row.state === 'answered' && !keysThere.has(callKeyText(row)))
    .map((row) => settleCall(row, now));
  if (child.session?.error || openThere.length === 0) return { opened: [], acknowledged };
  const atRoot = isRoot(view.session);
  const opened: OpenCallRow[] = [];
  for (const row of openThere) {
    if (keysHere.has(callKeyText(row))) continue;
    // Settled calls are not among `callsHere`.
    const known = await view.store.readCalls(row.rootId, callKey(row));
    if (known.some((other) => other.ownerSessionId !== row.ownerSessionId))
      throw callIdTaken({ sessionId: row.ownerSessionId }, row.toolCallId);
    if (known.length > 0) continue;
    opened.push({ ...row, ...deadlines(atRoot ? row.timeoutMs : null, now), openedAt: now });
  }
  return { opened, acknowledged };
}

async function writeNews(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  child: ReachedChild,
  news: News,
): Promise<boolean> {
  const { session } = view;
  const { reference } = child;
  const now = ctx.clock.now();
  const key = {
    sessionId: session.sessionId,
    stepId: session.stepId,
    index: reference.index,
    kind: 'result' as const,
  };
  const data = news.result && { ...news.result, run: session.turn };
  const journal: JournalRow[] = data ? [{ ...key, data, createdAt: now }] : [];
  const applied = await record(
    ctx,
    run,
    session.stepId,
    {
      insert: {
        journal,
        calls: news.opened,
        usage: news.result ? [childUsage(ctx, view, child, news.result, now)] : [],
      },
      update: {
        calls: news.acknowledged,
        references: news.result
          ? [
              {
                sessionId: session.sessionId,
                subSessionId: reference.subSessionId,
                set: {
                  state: 'closed',
                  status: news.result.outcome.success ? 'completed' : 'failed',
                  completedAt: now,
                },
              },
            ]
          : [],
      },
      guard: {
        references: [
          { sessionId: session.sessionId, subSessionId: reference.subSessionId, state: 'live' },
        ],
        journalAbsent: [key],
      },
    },
    async () => wasCollected(ctx, run, reference.index, news),
  );
  if (!applied) return false;
  if (news.result) await announceChildEnd(ctx, session, reference, news.result);
  if (isRoot(session) && news.opened.length > 0) {
    await announceAsked(ctx, session, news.opened);
  }
  return true;
}

async function wasCollected(
  ctx: EngineContext,
  run: LoopRun,
  index: number,
  news: News,
): Promise<boolean> {
  const view = await readStepView(ctx, run);
  if (!view) return false;
  if (news.result) return view.results.has(index);
  const known = new Set(view.calls.map(callKeyText));
  return news.opened.every((row) => known.has(callKeyText(row)));
}

function resultOfChild(child: SessionRow): CallResult {
  if (child.status === 'completed')
    return { outcome: { success: true, value: child.output ?? null } };
  const message = child.error?.message ?? 'The sub-agent failed.';
  return failure('subagent_failed', `Sub-agent ${child.agentType} failed: ${message}`);
}

/**
 * Carries calls that a session opened up to the root, one hop at a time, each hop written by the current owner's epoch
 * of that ancestor. An ancestor that is not running takes them in when it is.
 */
export async function raiseCalls(ctx: EngineContext, from: SessionRow): Promise<void> {
  let child = from;
  for (let ref = parentRef(child); ref && child.parentIndex !== null; ref = parentRef(child)) {
    const parent = await ctx.databases.of(ref).readSession(ref);
    if (!parent || parent.status !== 'running') return;
    const collected = await collectChild(ctx, loopRun(parent), child.parentIndex);
    if (!collected.ok) return;
    child = parent;
  }
}
