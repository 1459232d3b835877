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
import { eachAtOnce } from '../../util/each-at-once.ts';
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

/** The step in progress as its own database has it; its children are not looked at. */
export interface StepView extends StepRows {
  readonly store: SessionStore;
  readonly describe: DescribeError;
  readonly plan: StepPlan | null;
  readonly results: ReadonlyMap<number, CallResult>;
  readonly starts: ReadonlyMap<number, string>;
  /** Rows of this owner that its next commit carries: a result on top of a recorded plan, or the whole step. */
  readonly unwritten: readonly JournalRow[];
}

/** The step with all its children that are not closed, by call index: what decisions about the whole step need. */
export interface StepTree extends StepView {
  readonly childViews: ReadonlyMap<number, ChildView>;
}

/** The session row first, then what it guards. */
export async function readStepView(ctx: EngineContext, ref: SessionRef): Promise<StepView | null> {
  const store = ctx.databases.of(ref);
  const rows = await store.readStep(ref);
  return rows && toView(ctx, rows, store);
}

/** The same, then its children: a read for each that has a store of its own, some at a time. */
export async function readStepTree(ctx: EngineContext, ref: SessionRef): Promise<StepTree | null> {
  const view = await readStepView(ctx, ref);
  return view && withChildren(ctx, view);
}

/** The child of one call of this step, unless it is closed. Reads no sibling. */
export async function readChildOf(
  ctx: EngineContext,
  view: StepView,
  index: number,
): Promise<ChildView | null> {
  const reference = childReferences(view).find((row) => row.index === index);
  return reference ? readChild(ctx, view, reference) : null;
}

/** The step of a run for its owner: as cached, else read. The guards of its writes check whether it is up to date. */
export async function ownStepView(ctx: EngineContext, run: LoopRun): Promise<StepView | null> {
  const cached = cachedStepView(ctx, run);
  if (cached) return cached;
  const view = await readStepView(ctx, run);
  if (view && owns(view.session, run)) ctx.memory?.learn(run, view);
  return view;
}

/** The same with its children. */
export async function ownStepTree(ctx: EngineContext, run: LoopRun): Promise<StepTree | null> {
  const view = await ownStepView(ctx, run);
  return view && withChildren(ctx, view);
}

export function cachedStepView(ctx: EngineContext, run: LoopRun): StepView | null {
  const rows = ctx.memory?.known(run);
  return rows ? stepViewOf(ctx, rows) : null;
}

export function stepViewOf(ctx: EngineContext, rows: StepRows): StepView {
  return toView(ctx, rows, ctx.databases.of(rows.session));
}

/** A step that has no children. */
export function withoutChildren(view: StepView): StepTree {
  return { ...view, childViews: NO_CHILDREN };
}

export async function withChildren(ctx: EngineContext, view: StepView): Promise<StepTree> {
  const references = childReferences(view);
  if (references.length === 0) return withoutChildren(view);
  const read = new Map<number, ChildView>();
  await eachAtOnce(CHILDREN_AT_ONCE, references, async (reference) => {
    read.set(reference.index, await readChild(ctx, view, reference));
  });
  // In the order of the references, whichever was read first.
  const childViews = new Map(
    references.flatMap(({ index }) => {
      const child = read.get(index);
      return child ? [[index, child] as const] : [];
    }),
  );
  return { ...view, childViews };
}

function childReferences({ session, references }: StepView): readonly ChildReferenceRow[] {
  return references.filter((row) => row.stepId === session.stepId && row.state !== 'closed');
}

/** Reads of children that are under way at the same time. */
const CHILDREN_AT_ONCE = 16;

const NO_CHILDREN: ReadonlyMap<number, ChildView> = new Map();
const NO_RESULTS: ReadonlyMap<number, CallResult> = new Map();
const NO_STARTS: ReadonlyMap<number, string> = new Map();
const NO_ROWS: readonly JournalRow[] = [];

/** Made several times a step: field by field, without a list or a map that stays empty. */
function toView(ctx: EngineContext, rows: StepRows, store: SessionStore): StepView {
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
  view: StepView,
  reference: ChildReferenceRow,
): Promise<ChildView> {
  const ref = childRef(view.session, reference.subSessionId);
  const there = ctx.databases.of(ref);
  const known = {
    reference,
    ref,
    callsHere: view.calls.filter((call) => call.route.includes(ref.sessionId)),
  };
  if (there === view.store) {
    const session = view.children.find((child) => child.sessionId === ref.sessionId) ?? null;
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
