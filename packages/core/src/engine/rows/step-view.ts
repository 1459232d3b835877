import type { LoopRun } from '../../loop/host.ts';
import type { CommitInserts } from '../../store/commit-plan.ts';
import type {
  CallResult,
  JournalRow,
  LeftStep,
  OpenCallRow,
  PlannedCall,
  SessionRef,
  SessionRow,
  StepRecord,
  StoppedText,
  UsageRow,
} from '../../store/rows.ts';
import type { SessionStore, StepRows } from '../../store/session-store.ts';
import type { DescribeError } from './answer-result.ts';
import type { EngineContext } from '../context.ts';
import { owns } from './session-status.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';

/** The step in progress as its own store has it; its children are not looked at. */
export interface StepView extends StepRows {
  readonly store: SessionStore;
  readonly describe: DescribeError;
  readonly plan: StepRecord | null;
  /** What the model had said when the run before this step was interrupted. Withdrawn once the session runs again. */
  readonly stopped: StoppedText | null;
  /** Steps before this one that ended without an answer. */
  readonly withdrawn: readonly LeftStep[];
  readonly results: ReadonlyMap<number, CallResult>;
  readonly starts: ReadonlyMap<number, string>;
  /** Journal rows of this owner that its next commit carries: a result on top of a recorded plan, or the whole step. */
  readonly unwritten: readonly JournalRow[];
}

/** One step of a run, for its owner. */
export interface StepScope {
  readonly ctx: EngineContext;
  readonly run: LoopRun;
  readonly view: StepView;
}

/** The session row first, then what it guards. */
export async function readStepView(ctx: EngineContext, ref: SessionRef): Promise<StepView | null> {
  const rows = await ctx.databases.of(ref).readStep(ref);
  return rows && stepViewOf(ctx, rows);
}

/** The step of a run for its owner: as cached, else read. The guards of its writes check whether it is up to date. */
export async function ownStepView(ctx: EngineContext, run: LoopRun): Promise<StepView | null> {
  const cached = cachedStepView(ctx, run);
  if (cached) return cached;
  const view = await readStepView(ctx, run);
  if (view && owns(view.session, run)) ctx.memory?.cache(run, view);
  return view;
}

export function cachedStepView(ctx: EngineContext, run: LoopRun): StepView | null {
  const rows = ctx.memory?.cached(run);
  return rows ? stepViewOf(ctx, rows) : null;
}

function stepViewOf(ctx: EngineContext, rows: StepRows): StepView {
  const { session, interrupt, journal, calls, references, children, inputs } = rows;
  const unwritten = withoutWritten(ctx.memory?.unwritten(session, session.stepId) ?? [], journal);
  const all = unwritten.length > 0 ? [...journal, ...unwritten] : journal;
  const plan = planIn(all);
  return {
    session,
    interrupt,
    journal,
    calls,
    references,
    children,
    inputs,
    store: ctx.databases.of(session),
    describe: ctx.describeError,
    plan,
    stopped: stoppedIn(journal),
    withdrawn: withdrawnIn(journal),
    results: resultsIn(plan, all),
    starts: startsIn(all),
    unwritten,
  };
}

/** Whether the plan of the step is only in this process: a crash repeats the whole step. */
export function isInMemory(view: StepView): boolean {
  return !view.journal.some((row) => row.kind === 'plan');
}

/**
 * The step id of a run that ends before its step is closed. A recorded step keeps its id. For one that was only in memory the
 * id is raised: if its withdrawal is announced late, it does not withdraw chunks of the next run.
 */
export function leaveUnrecorded(view: StepView): Partial<SessionRow> {
  return isInMemory(view) ? { stepId: view.session.stepId + 1 } : {};
}

/** The journal of a step whose id is given up: at most a note about withdrawn or stopped steps before it. */
export function journalLeft(view: StepView): { sessionId: string; stepId: number }[] {
  const { sessionId, stepId } = view.session;
  return isInMemory(view) && view.journal.length > 0 ? [{ sessionId, stepId }] : [];
}

/** What a commit carries when the step stays open. Nothing without a recorded plan: the step is repeated then. */
export function rowsToKeep(
  ctx: EngineContext,
  view: StepView,
): Pick<CommitInserts, 'journal' | 'usage'> {
  if (isInMemory(view)) return {};
  return { journal: view.unwritten, usage: unwrittenUsage(ctx, view) };
}

/** Usage of the rows that are not written yet. */
export function unwrittenUsage(
  ctx: EngineContext,
  { session, unwritten }: StepView,
): readonly UsageRow[] {
  const usage = unwritten.length > 0 ? ctx.memory?.usage(session, session.stepId) : undefined;
  return usage ?? [];
}

function planIn(rows: readonly JournalRow[]): StepRecord | null {
  for (const row of rows) if (row.kind === 'plan') return row.data;
  return null;
}

function stoppedIn(rows: readonly JournalRow[]): StoppedText | null {
  for (const row of rows) if (row.kind === 'stopped') return row.data;
  return null;
}

function withdrawnIn(rows: readonly JournalRow[]): readonly LeftStep[] {
  for (const row of rows) if (row.kind === 'withdrawn') return row.data.steps;
  return [];
}

/** The text of a stopped model, unless the session was resumed since or its transcript was changed by hand. */
export function standingText({
  session,
  journal,
}: Pick<StepRows, 'session' | 'journal'>): StoppedText | null {
  if (session.status !== 'interrupted' || planIn(journal)) return null;
  const stopped = stoppedIn(journal);
  return stopped?.messageCount === session.messageCount ? stopped : null;
}

/** Unwritten rows are committed together: if one is in the journal, the reply to the commit was lost and all are there. */
function withoutWritten(
  unwritten: readonly JournalRow[],
  journal: readonly JournalRow[],
): readonly JournalRow[] {
  const isWritten = unwritten.some((row) =>
    journal.some(({ index, kind }) => index === row.index && kind === row.kind),
  );
  return isWritten ? [] : unwritten;
}

/** First wins, as in the journal. */
function resultsIn(
  plan: StepRecord | null,
  rows: readonly JournalRow[],
): ReadonlyMap<number, CallResult> {
  const results = new Map<number, CallResult>();
  for (const { index, result } of plan?.calls ?? []) if (result) results.set(index, result);
  for (const row of rows)
    if (row.kind === 'result' && !results.has(row.index)) results.set(row.index, row.data);
  return results;
}

function startsIn(rows: readonly JournalRow[]): ReadonlyMap<number, string> {
  const starts = new Map<number, string>();
  for (const row of rows) if (row.kind === 'start') starts.set(row.index, row.data.attempt);
  return starts;
}

/** Whether the row is of a call of this session itself, not of a descendant. */
export function ownsCall({ session }: Pick<StepView, 'session'>, row: OpenCallRow): boolean {
  return row.ownerSessionId === session.sessionId;
}

/** The row of a human call of this step. */
export function ownCall(
  view: Pick<StepView, 'session' | 'calls'>,
  call: PlannedCall,
): OpenCallRow | undefined {
  const own = callKeyText(callKey({ rootId: view.session.rootId, toolCallId: call.callId }));
  return view.calls.find((row) => callKeyText(row) === own);
}
