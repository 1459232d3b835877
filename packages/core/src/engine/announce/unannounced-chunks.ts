import { outcomeOfToolMessage } from '../../messages/builders.ts';
import type { ToolMessage } from '../../messages/message.ts';
import type {
  CallOutcome,
  CheckpointRow,
  ChildReferenceRow,
  PlannedCall,
  SessionRow,
} from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { childEndEntry, claimedEntries } from './child-end.ts';
import {
  committedEntry,
  endEntries,
  runBeganEntry,
  speakerOf,
  withdrawEntry,
} from './chunk-entries.ts';
import type { EngineContext } from '../context.ts';
import { resultEntries } from './result-entries.ts';
import { isInMemory, readStepView, type StepView } from '../rows/step-view.ts';
import { isSuspended, isTerminal } from '../rows/session-status.ts';
import { StreamTail } from './stream-tail.ts';
import { childRef } from '../../store/session-place.ts';

/**
 * The chunks of commits that the stream does not show, because a process died right after one: results of the step in progress,
 * those of committed steps that may be missing (`StreamTail`), withdrawals of steps that ended without an answer, of this session
 * and of its children that have ended. All have their keys, so announcing one that is there changes nothing.
 */
export async function unannouncedChunks(
  ctx: EngineContext,
  view: StepView,
  tail: StreamTail = new StreamTail(ctx.announcer, view.session.streamId),
): Promise<StreamEntry[]> {
  const { session, store } = view;
  const since = await tail.firstUnannounced(view);
  const steps = await committedSteps(view, since);
  const entries = entriesOf(ctx, view, steps);
  const outcomes = new Map<string, CallOutcome>([
    ...steps.flatMap(({ results }) =>
      results.map((message): [string, CallOutcome] => [
        message.toolCallId,
        outcomeOfToolMessage(message),
      ]),
    ),
    ...callsWithResult(view).map(({ call, outcome }): [string, CallOutcome] => [
      call.callId,
      outcome,
    ]),
  ]);
  const references = steps.length > 0 ? await store.readReferences(session) : view.references;
  const first = steps[0]?.stepId ?? session.stepId;
  for (const reference of references) {
    if (reference.stepId < first) continue;
    const outcome = outcomes.get(reference.parentToolCallId);
    entries.unshift(...(await chunksOfChild(ctx, session, reference, outcome, tail)));
  }
  return entries;
}

/** The same with the beginning of the run, which may have ended before it was announced. */
export async function unannouncedChunksOfRun(
  ctx: EngineContext,
  view: StepView,
  tail?: StreamTail,
): Promise<StreamEntry[]> {
  const { session, store } = view;
  const [record] = await store.readRuns(session, { last: 1 });
  const began = runBeganEntry(session, record, ctx.clock.now());
  return [began, ...(await unannouncedChunks(ctx, view, tail))];
}

/** The same of these sessions alone, without their children. All write to one stream. */
export async function unannouncedChunksOf(
  ctx: EngineContext,
  views: readonly StepView[],
  tail: StreamTail,
): Promise<StreamEntry[]> {
  const entries: StreamEntry[] = [];
  for (const view of views) {
    const steps = await committedSteps(view, await tail.firstUnannounced(view));
    entries.push(...entriesOf(ctx, view, steps));
  }
  return entries;
}

function entriesOf(
  ctx: EngineContext,
  view: StepView,
  steps: readonly CommittedStep[],
): StreamEntry[] {
  const { session } = view;
  const now = ctx.clock.now();
  return [
    ...view.withdrawn.map((left) => withdrawEntry(session, left, now)),
    ...steps.flatMap(({ stepId, results, checkpoint }) => {
      const speaker = speakerOf(session, stepId);
      const ends = results.flatMap((message) =>
        endEntries(
          speaker,
          now,
          { callId: message.toolCallId, toolName: message.toolName },
          outcomeOfToolMessage(message),
        ),
      );
      return checkpoint
        ? [...ends, committedEntry(speaker, now, checkpoint.version, checkpoint.messageCount)]
        : ends;
    }),
    ...callsWithResult(view).flatMap(({ call, outcome }) =>
      resultEntries(view, now, call, outcome),
    ),
  ];
}

/** Calls of the step in progress whose result is committed; one that is in this process only is not announced yet. */
function callsWithResult(view: StepView): { call: PlannedCall; outcome: CallOutcome }[] {
  if (!view.plan || isInMemory(view)) return [];
  const unwritten = new Set(view.unwritten.map(({ index }) => index));
  return view.plan.calls.flatMap((call) => {
    const outcome = unwritten.has(call.index) ? undefined : view.results.get(call.index)?.outcome;
    return outcome ? [{ call, outcome }] : [];
  });
}

/** At most so many messages and checkpoints are looked at: a process does not commit more before it announces them. */
const TAIL = 256;

interface CommittedStep {
  readonly stepId: number;
  readonly results: ToolMessage[];
  /** Of its closing commit; none for a step that was closed from outside. */
  readonly checkpoint: CheckpointRow | undefined;
}

/**
 * Steps of the last turn from `since` on that have results at the end of the transcript; a message that superseded the last may
 * follow. Reads nothing when no step was committed since.
 */
async function committedSteps(
  { session, store }: StepView,
  since: number,
): Promise<CommittedStep[]> {
  if (since >= session.stepId) return [];
  // A step has at most two, of its first suspension and of its close; so may the step in progress. One more shows where they begin.
  const limit = Math.min(TAIL, 2 * (session.stepId - since) + 2);
  const checkpoints = await store.readCheckpoints(session, { limit });
  const before = checkpoints.find(({ stepId }) => stepId < since);
  const after = Math.max(before?.messageCount ?? 0, session.messageCount - TAIL);
  const rows = await store.readMessages(session, { after });
  const end = rows.findLastIndex(({ message }) => message.role !== 'user') + 1;
  const begin =
    rows.findLastIndex(({ message }, index) => index < end && message.role === 'user') + 1;
  const steps = new Map<number, CommittedStep>();
  for (const { sequence, message } of rows.slice(begin, end)) {
    if (message.role !== 'tool') continue;
    const checkpoint = checkpoints.findLast(
      ({ messageCount, stepId }) => messageCount >= sequence && stepId < session.stepId,
    );
    const stepId = checkpoint?.stepId ?? stepClosedOutside(session, checkpoints, sequence);
    const step = steps.get(stepId) ?? { stepId, results: [], checkpoint };
    step.results.push(message);
    steps.set(stepId, step);
  }
  return [...steps.values()];
}

/**
 * The step of a result without a checkpoint of its own. Where it waited for a person its suspension has one; later steps,
 * which may have been closed or withdrawn without a message, are not its.
 */
function stepClosedOutside(
  session: SessionRow,
  newestFirst: readonly CheckpointRow[],
  sequence: number,
): number {
  const before = newestFirst.find(({ messageCount }) => messageCount < sequence);
  return before && isSuspended(before) ? before.stepId : session.stepId - 1;
}

async function chunksOfChild(
  ctx: EngineContext,
  parent: SessionRow,
  reference: ChildReferenceRow,
  outcome: CallOutcome | undefined,
  tail: StreamTail,
): Promise<StreamEntry[]> {
  const ref = childRef(parent, reference.subSessionId);
  const now = ctx.clock.now();
  const end = outcome ? [childEndEntry(parent, reference, outcome, now)] : [];
  const isApart = ctx.databases.of(ref) !== ctx.databases.of(parent);
  try {
    const view = await readStepView(ctx, ref);
    // A tombstone never ran and has nothing to announce.
    if (!view || !isTerminal(view.session) || view.session.turn === 0) return [];
    return [...(await unannouncedChunks(ctx, view, tail)), ...end];
  } catch (error) {
    if (!isApart) throw error;
    // The chunks of a child that cannot be reached are left out; the others are announced.
    return outcome ? claimedEntries(parent, reference, outcome, now) : [];
  }
}
