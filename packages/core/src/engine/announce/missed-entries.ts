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
import { committedEntry, endEntries, runBeganEntry, speakerOf } from './chunk-entries.ts';
import type { EngineContext } from '../context.ts';
import {
  isInMemory,
  isSuspended,
  isTerminal,
  readStepView,
  type StepView,
} from '../rows/step-view.ts';
import { childRef } from '../../store/session-place.ts';

/**
 * What a process that died right after a commit did not live to announce: results of the step in progress and of the
 * newest committed ones, of this session and of its children that have ended. All under their keys, so that what was
 * announced stays as it is.
 */
export async function missedEntries(ctx: EngineContext, view: StepView): Promise<StreamEntry[]> {
  const { session, store } = view;
  const steps = await committedSteps(view);
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
  const since = steps[0]?.stepId ?? session.stepId;
  for (const reference of await store.readReferences(session)) {
    if (reference.stepId < since) continue;
    const outcome = outcomes.get(reference.parentToolCallId);
    entries.unshift(...(await missedOfChild(ctx, session, reference, outcome, ctx.clock.now())));
  }
  return entries;
}

/** The same with the beginning of the run, which may have ended before it was said. */
export async function missedOfRun(ctx: EngineContext, view: StepView): Promise<StreamEntry[]> {
  const { session, store } = view;
  const [record] = await store.readRuns(session, { last: 1 });
  const began = runBeganEntry(session, record, ctx.clock.now());
  return [began, ...(await missedEntries(ctx, view))];
}

/** The same of this session alone. */
export async function missedOfSession(ctx: EngineContext, view: StepView): Promise<StreamEntry[]> {
  return entriesOf(ctx, view, await committedSteps(view));
}

function entriesOf(
  ctx: EngineContext,
  view: StepView,
  steps: readonly CommittedStep[],
): StreamEntry[] {
  const { session } = view;
  const now = ctx.clock.now();
  return [
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
      endEntries(speakerOf(session), now, call, outcome),
    ),
  ];
}

/** Calls of the step in progress whose result is durable; what only this process knows is not to be said yet. */
function callsWithResult(view: StepView): { call: PlannedCall; outcome: CallOutcome }[] {
  if (!view.plan || isInMemory(view)) return [];
  const unwritten = new Set(view.unwritten.map(({ index }) => index));
  return view.plan.calls.flatMap((call) => {
    const outcome = unwritten.has(call.index) ? undefined : view.results.get(call.index)?.outcome;
    return outcome ? [{ call, outcome }] : [];
  });
}

/** More than a process commits before it writes what it has to say; more than that stays unsaid. */
const TAIL = 256;

interface CommittedStep {
  readonly stepId: number;
  readonly results: ToolMessage[];
  /** Of its closing commit; none for a step that was closed from outside. */
  readonly checkpoint: CheckpointRow | undefined;
}

/** Steps of the last turn with results at the end of the transcript; a message that superseded the last may follow. */
async function committedSteps({ session, store }: StepView): Promise<CommittedStep[]> {
  const rows = await store.readMessages(session, { after: session.messageCount - TAIL });
  const end = rows.findLastIndex(({ message }) => message.role !== 'user') + 1;
  const begin =
    rows.findLastIndex(({ message }, index) => index < end && message.role === 'user') + 1;
  const turn = rows.slice(begin, end);
  const checkpoints = await store.readCheckpoints(session, { limit: TAIL });
  const steps = new Map<number, CommittedStep>();
  for (const { sequence, message } of turn) {
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

async function missedOfChild(
  ctx: EngineContext,
  parent: SessionRow,
  reference: ChildReferenceRow,
  outcome: CallOutcome | undefined,
  now: number,
): Promise<StreamEntry[]> {
  const ref = childRef(parent, reference.subSessionId);
  const end = outcome ? [childEndEntry(parent, reference, outcome, now)] : [];
  const isApart = ctx.databases.of(ref) !== ctx.databases.of(parent);
  try {
    const view = await readStepView(ctx, ref);
    // A tombstone never ran and has nothing to say.
    if (!view || !isTerminal(view.session) || view.session.turn === 0) return [];
    return [...(await missedEntries(ctx, view)), ...end];
  } catch (error) {
    if (!isApart) throw error;
    // A child that cannot be reached says nothing now, and keeps nobody from saying the rest.
    return outcome ? claimedEntries(parent, reference, outcome, now) : [];
  }
}
