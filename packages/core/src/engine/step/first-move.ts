import { toolsOf } from '../../define/effective-tools.ts';
import { HookScope } from '../hooks/fire-hooks.ts';
import { hasSettleHooks } from '../hooks/settle-hooks.ts';
import type { CommitGuard, CommitPlan, SessionUpdate } from '../../store/commit-plan.ts';
import type { StepRows } from '../../store/session-store.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import type { LoopRun, PlanEntry } from '../../loop/host.ts';
import { closeEntries, rowsAfterClose } from './after-close.ts';
import { closeStepPlan } from './close-step-plan.ts';
import type { EngineContext } from '../context.ts';
import { decideStep, type StepDecision } from './decide-step.ts';
import { requireAgent } from '../require-agent.ts';
import { startRecord } from '../rows/start-record.ts';
import { stepViewOf, type StepView } from '../rows/step-view.ts';

/** What goes into a claim besides. */
export interface FirstMove extends Required<Pick<CommitPlan, 'insert' | 'update' | 'remove'>> {
  readonly guard: Pick<CommitGuard, 'calls'>;
  readonly session: Pick<SessionUpdate, 'set' | 'raise'>;
  /** The rows as the claim leaves them with it. */
  readonly rows: StepRows;
  /** What is true then. */
  readonly entries: readonly StreamEntry[];
  /** Starts it records: the run that begins makes those attempts. */
  readonly attempts: readonly string[];
}

/**
 * What the first settle of a resumed run would come to, so that its claim can write it as well: the close of a step whose
 * answers are all there, or the start of `once` tools. Nothing where the run has something else to do first, where hooks
 * stand between, or where operations share no memory. `rows` are those the claim leaves, but for the version that it raises.
 */
export function firstMove(ctx: EngineContext, run: LoopRun, rows: StepRows): FirstMove {
  const mayMove = ctx.memory && rows.references.length === 0 && !rows.interrupt;
  const view = mayMove ? stepViewOf(ctx, rows) : null;
  const decision = view?.plan ? decideStep(view) : null;
  if (view && decision?.kind === 'close') return closing(ctx, run, view, decision);
  if (view && decision?.kind === 'dispatch') return starting(ctx, view, decision.calls);
  return nothing(rows);
}

function nothing({
  session,
  interrupt,
  journal,
  calls,
  references,
  children,
}: StepRows): FirstMove {
  const claimed = { ...session, version: session.version + 1 };
  return {
    guard: {},
    session: {},
    insert: {},
    update: {},
    remove: {},
    rows: { session: claimed, interrupt, journal, calls, references, children },
    entries: [],
    attempts: [],
  };
}

function closing(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  decision: Extract<StepDecision, { kind: 'close' }>,
): FirstMove {
  const { session } = view;
  if (hasSettleHooks(ctx, session)) return nothing(view);
  const ending = { ...decision, hookWrites: [], usage: [] };
  const agent = requireAgent(ctx, session);
  const closed = closeStepPlan(ctx, run, view, agent, ending, session.lastCommit);
  // The end of a run closes its record, which the claim has yet to insert.
  if (closed.ended) return nothing(view);
  const { sessions, insert = {}, update = {}, remove = {} } = closed.plan;
  return {
    // No guard: an answer stays, and no interrupt names a run that is not there yet.
    ...nothing(view),
    session: sessions?.[0] ?? {},
    insert,
    update,
    remove,
    rows: rowsAfterClose(view, closed),
    entries: closeEntries(ctx, view, decision.results, closed),
  };
}

function starting(ctx: EngineContext, view: StepView, runnable: readonly PlanEntry[]): FirstMove {
  const { session } = view;
  const none = nothing(view);
  // A hook may take its time, and a start that stands there meanwhile says that the tool may have run.
  if (new HookScope(ctx, session).has('onAgentResumed')) return none;
  const tools = toolsOf(requireAgent(ctx, session)).byName;
  const indexes = new Set(runnable.map(({ index }) => index));
  const starts = (view.plan?.calls ?? [])
    .filter(({ index, execution }) => execution === 'once' && indexes.has(index))
    .filter(({ index, toolName }) => tools.has(toolName) && !view.starts.has(index))
    .map((call) => startRecord(ctx, view, call));
  if (starts.length === 0) return none;
  const journal = starts.map(({ row }) => row);
  return {
    ...none,
    guard: { calls: starts.flatMap(({ guard }) => guard.calls) },
    session: { raise: { records: true } },
    insert: { journal },
    rows: {
      ...none.rows,
      session: { ...none.rows.session, records: session.records + 1 },
      journal: [...view.journal, ...journal],
    },
    attempts: starts.map(({ row }) => row.data.attempt),
  };
}
