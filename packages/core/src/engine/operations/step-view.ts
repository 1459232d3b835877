import type { LoopRun } from '../loop/host.ts';
import type {
  CallResult,
  ChildReferenceRow,
  JournalRow,
  OpenCallRow,
  PlannedCall,
  SessionRef,
  SessionRow,
  StepPlan,
} from '../../store/rows.ts';
import type { SessionStore, StepRows } from '../../store/session-store.ts';
import type { DescribeError } from './answer-result.ts';
import type { EngineContext } from './context.ts';

/** A child as its parent sees it. */
export interface ChildView {
  readonly reference: ChildReferenceRow;
  readonly ref: SessionRef;
  /** The child's own database is another one. */
  readonly apart: boolean;
  readonly session: SessionRow | null;
  /** Calls of the child's subtree in the child's database. The same rows as here when it is not apart. */
  readonly callsThere: readonly OpenCallRow[];
  /** Calls of the child's subtree in this database. */
  readonly callsHere: readonly OpenCallRow[];
}

/** The step in progress, with everything decisions need, read in PROTOCOL's order: session first, children last. */
export interface StepView extends StepRows {
  readonly store: SessionStore;
  readonly describe: DescribeError;
  readonly plan: StepPlan | null;
  readonly results: ReadonlyMap<number, CallResult>;
  readonly starts: ReadonlyMap<number, string>;
  /** Live children of this step, by call index. */
  readonly childViews: ReadonlyMap<number, ChildView>;
}

export async function readStepView(ctx: EngineContext, ref: SessionRef): Promise<StepView | null> {
  const store = ctx.databases.of(ref);
  const rows = await store.readStep(ref);
  if (!rows) return null;
  const { session } = rows;
  const remembered = ctx.memory?.read(session.sessionId, session.epoch, session.stepId) ?? [];
  const records = readJournal([...rows.journal, ...remembered]);
  const childViews = new Map<number, ChildView>();
  for (const reference of rows.references) {
    if (reference.stepId !== session.stepId || reference.state === 'closed') continue;
    childViews.set(reference.index, await readChild(ctx, store, rows, reference));
  }
  return { ...rows, ...records, store, childViews, describe: ctx.describeError };
}

/** First wins: a later row of the same key is never there. */
function readJournal(
  journal: readonly JournalRow[],
): Pick<StepView, 'plan' | 'results' | 'starts'> {
  let plan: StepPlan | null = null;
  const results = new Map<number, CallResult>();
  const starts = new Map<number, string>();
  for (const row of journal) {
    if (row.kind === 'plan') plan ??= row.data;
    else if (row.kind === 'start') starts.set(row.index, row.data.attempt);
    else if (!results.has(row.index)) results.set(row.index, row.data);
  }
  for (const call of plan?.calls ?? []) {
    if (call.class === 'settled' && call.result) results.set(call.index, call.result);
  }
  return { plan, results, starts };
}

async function readChild(
  ctx: EngineContext,
  store: SessionStore,
  rows: StepRows,
  reference: ChildReferenceRow,
): Promise<ChildView> {
  const ref: SessionRef = { rootId: rows.session.rootId, sessionId: reference.subSessionId };
  const there = ctx.databases.of(ref);
  const callsHere = rows.calls.filter((call) => call.route.includes(ref.sessionId));
  if (there === store) {
    const session = rows.children.find((child) => child.sessionId === ref.sessionId) ?? null;
    return { reference, ref, apart: false, session, callsThere: callsHere, callsHere };
  }
  const child = await there.readStep(ref);
  return {
    reference,
    ref,
    apart: true,
    session: child?.session ?? null,
    callsThere: child?.calls ?? [],
    callsHere,
  };
}

/** Calls of this session itself, not of its descendants. */
export function ownCall(view: StepView, call: PlannedCall): OpenCallRow | undefined {
  return view.calls.find(
    (row) =>
      row.ownerSessionId === view.session.sessionId &&
      row.ownerStepId === view.session.stepId &&
      row.ownerIndex === call.index,
  );
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

/** A running session whose owner may be taken over: its lease is over, or it was given back. */
export function ownerIsDead(session: SessionRow, now: number): boolean {
  if (session.status !== 'running') return false;
  return session.leaseUntil === null ? !session.started : session.leaseUntil <= now;
}
