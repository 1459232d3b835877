import type { LoopRun } from '../../loop/host.ts';
import type { ChildReferenceRow, OpenCallRow, SessionRef, SessionRow } from '../../store/rows.ts';
import { childRef } from '../../store/session-place.ts';
import { eachAtOnce } from '../../util/each-at-once.ts';
import type { EngineContext } from '../context.ts';
import { ownStepView, readStepView, type StepView } from './step-view.ts';

/** What its parent's own store says of a child. */
interface ChildOfStep {
  readonly reference: ChildReferenceRow;
  readonly ref: SessionRef;
  /** Calls of the child's subtree in the parent's store. */
  readonly callsHere: readonly OpenCallRow[];
}

/** A child as its parent sees it. */
export type ChildView = ReachedChild | UnreachableChild;
export type ReachedChild = ChildInSameStore | ChildInOwnStore;

export interface ChildInSameStore extends ChildOfStep {
  readonly place: 'same-store';
  readonly session: SessionRow | null;
}

export interface ChildInOwnStore extends ChildOfStep {
  readonly place: 'own-store';
  readonly session: SessionRow | null;
  /** Calls of the child's subtree in the child's store. */
  readonly callsThere: readonly OpenCallRow[];
}

/** In a store of its own that fails: whether the child exists, and what it does, is not known. */
export interface UnreachableChild extends ChildOfStep {
  readonly place: 'unreachable';
  readonly cause: unknown;
}

/** The step with all its children that are not closed, by call index: what decisions about the whole step need. */
export interface StepTree extends StepView {
  readonly childViews: ReadonlyMap<number, ChildView>;
}

/** The step, then its children: one read for each that has a store of its own, a bounded number at a time. */
export async function readStepTree(ctx: EngineContext, ref: SessionRef): Promise<StepTree | null> {
  const view = await readStepView(ctx, ref);
  return view && withChildren(ctx, view);
}

/** The same of a run for its owner: the step as cached, else read. */
export async function ownStepTree(ctx: EngineContext, run: LoopRun): Promise<StepTree | null> {
  const view = await ownStepView(ctx, run);
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

/** Reads of children that are under way at the same time. */
const CHILDREN_AT_ONCE = 16;
const NO_CHILDREN: ReadonlyMap<number, ChildView> = new Map();

export async function withChildren(ctx: EngineContext, view: StepView): Promise<StepTree> {
  const references = childReferences(view);
  if (references.length === 0) return { ...view, childViews: NO_CHILDREN };
  const read = new Map<number, ChildView>();
  await eachAtOnce(CHILDREN_AT_ONCE, references, async (reference) => {
    read.set(reference.index, await readChild(ctx, view, reference));
  });
  // In call order, whichever was read first.
  const childViews = new Map([...read].toSorted(([one], [other]) => one - other));
  return { ...view, childViews };
}

function childReferences({ session, references }: StepView): readonly ChildReferenceRow[] {
  return references.filter((row) => row.stepId === session.stepId && row.state !== 'closed');
}

async function readChild(
  ctx: EngineContext,
  view: StepView,
  reference: ChildReferenceRow,
): Promise<ChildView> {
  const ref = childRef(view.session, reference.subSessionId);
  const there = ctx.databases.of(ref);
  const callsHere = view.calls.filter((call) => call.route.includes(ref.sessionId));
  const child = { reference, ref, callsHere };
  if (there === view.store) {
    const session = view.children.find((row) => row.sessionId === ref.sessionId) ?? null;
    return { ...child, place: 'same-store', session };
  }
  try {
    const rows = await there.readStep(ref);
    const [session, callsThere] = [rows?.session ?? null, rows?.calls ?? []];
    return { ...child, place: 'own-store', session, callsThere };
  } catch (cause) {
    return { ...child, place: 'unreachable', cause };
  }
}

/** The session of a child as far as it is known. */
export function sessionOf(child: ChildView): SessionRow | null {
  switch (child.place) {
    case 'same-store':
    case 'own-store':
      return child.session;
    case 'unreachable':
      return null;
  }
}

/** By the rows here a person is asked for the child, or has given an answer that it has not taken in. */
export function isAskedHere({ callsHere }: ChildView): boolean {
  return callsHere.some((row) => row.state !== 'settled');
}
