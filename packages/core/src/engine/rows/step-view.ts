import type { LoopRun } from '../../loop/host.ts';
import type { CommitInserts } from '../../store/commit-plan.ts';
import type {
  CallResult,
  ChildReferenceRow,
  JournalRow,
  OpenCallRow,
  PlannedCall,
  SessionRef,
  SessionRow,
  StepPlan,
  UsageRow,
} from '../../store/rows.ts';
import type { SessionStore, StepRows } from '../../store/session-store.ts';
import type { DescribeError } from './answer-result.ts';
import type { EngineContext } from '../context.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';
import { childRef } from '../../store/session-place.ts';

/** What its parent's own database says of a child. */
interface ChildOfStep {
  readonly reference: ChildReferenceRow;
  readonly ref: SessionRef;
  /** Calls of the child's subtree in this database. */
  readonly callsHere: readonly OpenCallRow[];
}

/** A child as its parent sees it. */
export type ChildView = ReachedChild | UnreachableChild;
export type ReachedChild = ChildHere | ChildApart;

/** In the same database. */
export interface ChildHere extends ChildOfStep {
  readonly place: 'here';
  readonly session: SessionRow | null;
}

/** In a database of its own. */
export interface ChildApart extends ChildOfStep {
  readonly place: 'apart';
  readonly session: SessionRow | null;
  /** Calls of the child's subtree in the child's database. */
  readonly callsThere: readonly OpenCallRow[];
}

/** In a database of its own that fails: whether the child is there, and what it does, is not known. */
export interface UnreachableChild extends ChildOfStep {
  readonly place: 'unreachable';
  readonly cause: unknown;
}

/** The step in progress, with everything decisions need, read in PROTOCOL's order: session first, children last. */
export interface StepView extends StepRows {
  readonly store: SessionStore;
  readonly describe: DescribeError;
  readonly plan: StepPlan | null;
  readonly results: ReadonlyMap<number, CallResult>;
  readonly starts: ReadonlyMap<number, string>;
  /** Rows of this owner that its next commit carries: a result on top of a recorded plan, or the whole step. */
  readonly unwritten: readonly JournalRow[];
  /** Live children of this step, by call index. */
  readonly childViews: ReadonlyMap<number, ChildView>;
}

export async function readStepView(ctx: EngineContext, ref: SessionRef): Promise<StepView | null> {
  const store = ctx.databases.of(ref);
  const rows = await store.readStep(ref);
  if (!rows) return null;
  const { session } = rows;
  const childViews = new Map<number, ChildView>();
  for (const reference of rows.references) {
    if (reference.stepId !== session.stepId || reference.state === 'closed') continue;
    childViews.set(reference.index, await readChild(ctx, store, rows, reference));
  }
  return toView(ctx, rows, store, childViews);
}

/** The step of a run for its owner: as it knows it, else read. What it is told is checked by the guards of its writes. */
export function ownStepView(
  ctx: EngineContext,
  run: LoopRun,
): StepView | null | Promise<StepView | null> {
  return knownStepView(ctx, run) ?? learnStepView(ctx, run);
}

async function learnStepView(ctx: EngineContext, run: LoopRun): Promise<StepView | null> {
  const view = await readStepView(ctx, run);
  if (view && owns(view.session, run)) ctx.memory?.learn(run, view);
  return view;
}

export function knownStepView(ctx: EngineContext, run: LoopRun): StepView | null {
  const rows = ctx.memory?.known(run);
  return rows ? stepViewOf(ctx, rows) : null;
}

/** The view of a step without children. */
export function stepViewOf(ctx: EngineContext, rows: StepRows): StepView {
  return toView(ctx, rows, ctx.databases.of(rows.session), NO_CHILDREN);
}

const NO_CHILDREN: ReadonlyMap<number, ChildView> = new Map();
const NO_RESULTS: ReadonlyMap<number, CallResult> = new Map();
const NO_STARTS: ReadonlyMap<number, string> = new Map();
const NO_ROWS: readonly JournalRow[] = [];

/** Made several times a step: field by field, without a list or a map that stays empty. */
function toView(
  ctx: EngineContext,
  rows: StepRows,
  store: SessionStore,
  childViews: ReadonlyMap<number, ChildView>,
): StepView {
  const { session, journal } = rows;
  const unwritten = unwrittenBeside(journal, ctx.memory?.unwritten(session, session.stepId));
  const plan = planIn(journal) ?? planIn(unwritten);
  return {
    session,
    interrupt: rows.interrupt,
    journal,
    calls: rows.calls,
    references: rows.references,
    children: rows.children,
    store,
    describe: ctx.describeError,
    plan,
    results: resultsIn(plan, journal, unwritten),
    starts: startsIn(journal, unwritten),
    unwritten,
    childViews,
  };
}

/** Whether the plan of the step is only in this process: a crash repeats the whole step. */
export function isInMemory(view: StepView): boolean {
  return !view.journal.some((row) => row.kind === 'plan');
}

/**
 * What a run that ends before its step was closed does to the step: one that was recorded stays, one whose answer is lost
 * is left behind. Its withdrawal, however late it is said, then withdraws nothing of the next run.
 */
export function leaveUnrecorded(view: StepView): Partial<SessionRow> {
  return isInMemory(view) ? { stepId: view.session.stepId + 1 } : {};
}

/** What a commit has to carry when the step stays open: nothing without a recorded plan, the step is repeated then. */
export function rowsToKeep(
  ctx: EngineContext,
  view: StepView,
): Pick<CommitInserts, 'journal' | 'usage'> {
  if (isInMemory(view)) return {};
  return { journal: view.unwritten, usage: unwrittenUsage(ctx, view) };
}

/** What the rows have cost that are not written yet. */
export function unwrittenUsage(
  ctx: EngineContext,
  { session, unwritten }: StepView,
): readonly UsageRow[] {
  const usage = unwritten.length > 0 ? ctx.memory?.usage(session, session.stepId) : undefined;
  return usage ?? [];
}

function planIn(rows: readonly JournalRow[]): StepPlan | null {
  for (const row of rows) if (row.kind === 'plan') return row.data;
  return null;
}

/** They leave in one write: if one is in the journal they all are, only who wrote them has not heard of it yet. */
function unwrittenBeside(
  journal: readonly JournalRow[],
  kept: readonly JournalRow[] = NO_ROWS,
): readonly JournalRow[] {
  const isWritten = kept.some((row) =>
    journal.some(({ index, kind }) => index === row.index && kind === row.kind),
  );
  return isWritten ? NO_ROWS : kept;
}

/** First wins: a later row of the same key is never there. */
function resultsIn(
  plan: StepPlan | null,
  journal: readonly JournalRow[],
  unwritten: readonly JournalRow[],
): ReadonlyMap<number, CallResult> {
  let results: Map<number, CallResult> | null = null;
  for (const call of plan?.calls ?? []) {
    if (call.class === 'settled' && call.result)
      results = (results ?? new Map<number, CallResult>()).set(call.index, call.result);
  }
  for (const rows of [journal, unwritten]) {
    for (const row of rows) {
      if (row.kind !== 'result' || results?.has(row.index)) continue;
      results = (results ?? new Map<number, CallResult>()).set(row.index, row.data);
    }
  }
  return results ?? NO_RESULTS;
}

function startsIn(
  journal: readonly JournalRow[],
  unwritten: readonly JournalRow[],
): ReadonlyMap<number, string> {
  let starts: Map<number, string> | null = null;
  for (const rows of [journal, unwritten]) {
    for (const row of rows) {
      if (row.kind === 'start')
        starts = (starts ?? new Map<number, string>()).set(row.index, row.data.attempt);
    }
  }
  return starts ?? NO_STARTS;
}

async function readChild(
  ctx: EngineContext,
  store: SessionStore,
  rows: StepRows,
  reference: ChildReferenceRow,
): Promise<ChildView> {
  const ref = childRef(rows.session, reference.subSessionId);
  const there = ctx.databases.of(ref);
  const known = {
    reference,
    ref,
    callsHere: rows.calls.filter((call) => call.route.includes(ref.sessionId)),
  };
  if (there === store) {
    const session = rows.children.find((child) => child.sessionId === ref.sessionId) ?? null;
    return { ...known, place: 'here', session };
  }
  try {
    const child = await there.readStep(ref);
    const [session, callsThere] = [child?.session ?? null, child?.calls ?? []];
    return { ...known, place: 'apart', session, callsThere };
  } catch (cause) {
    return { ...known, place: 'unreachable', cause };
  }
}

/** The session of a child as far as it is known. */
export function sessionOf(child: ChildView): SessionRow | null {
  switch (child.place) {
    case 'here':
    case 'apart':
      return child.session;
    case 'unreachable':
      return null;
  }
}

/** A person is asked for the child, or has given an answer that it has not taken in, by the rows here. */
export function isAskedHere({ callsHere }: ChildView): boolean {
  return callsHere.some((row) => row.state !== 'settled');
}

/** The row of a call of this session itself, not of its descendants. */
export function ownCall(view: StepView, call: PlannedCall): OpenCallRow | undefined {
  const own = callKeyText(callKey({ rootId: view.session.rootId, toolCallId: call.callId }));
  return view.calls.find((row) => callKeyText(row) === own);
}

/** Whether the run still owns its session: running, same epoch. */
export function owns(session: SessionRow, run: LoopRun): boolean {
  return session.epoch === run.epoch && session.status === 'running';
}

export function isSuspended(session: Pick<SessionRow, 'status'>): boolean {
  return session.status.startsWith('suspended_');
}

export function isTerminal(session: Pick<SessionRow, 'status'>): boolean {
  return session.status === 'completed' || session.status === 'failed';
}

/**
 * A running session whose owner may be dead: its row has a lease, or was given back. Whether the lease is over the clock of the
 * store says, when somebody tries to take it over: that of this process may differ.
 */
export function ownerMayBeDead({ status, leaseUntil, started }: SessionRow): boolean {
  return status === 'running' && (leaseUntil !== null || !started);
}

/** The same by the clock of this process. */
export function ownerIsDead(session: SessionRow, now: number): boolean {
  if (session.status !== 'running') return false;
  return session.leaseUntil === null ? !session.started : session.leaseUntil <= now;
}
