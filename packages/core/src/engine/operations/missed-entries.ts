import { outcomeOfToolMessage } from '../../messages/builders.ts';
import type { ToolMessage } from '../../messages/message.ts';
import type {
  CallOutcome,
  CheckpointRow,
  ChildReferenceRow,
  SessionRow,
} from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { childEndEntry } from './child-end.ts';
import { committedEntry, endEntries, speakerOf } from './chunk-entries.ts';
import type { EngineContext } from './context.ts';
import { isTerminal, readStepView, type StepView } from './step-view.ts';

/**
 * What a process that died right after a commit did not live to announce: results of the step in progress and of the
 * newest committed ones, of this session and of its children that have ended. All under their keys, so that what was
 * announced stays as it is.
 */
export async function missedEntries(ctx: EngineContext, view: StepView): Promise<StreamEntry[]> {
  const { session, store } = view;
  const now = ctx.clock.now();
  const outcomes = new Map<string, CallOutcome>();
  const entries: StreamEntry[] = [];
  const steps = await recentSteps(view);
  for (const { stepId, results, checkpoint } of steps) {
    const speaker = speakerOf(session, stepId);
    for (const message of results) {
      const call = { callId: message.toolCallId, toolName: message.toolName };
      const outcome = outcomeOfToolMessage(message);
      outcomes.set(call.callId, outcome);
      entries.push(...endEntries(speaker, now, call, outcome));
    }
    if (checkpoint)
      entries.push(committedEntry(speaker, now, checkpoint.version, checkpoint.messageCount));
  }
  for (const call of view.plan?.calls ?? []) {
    const outcome = view.results.get(call.index)?.outcome;
    if (!outcome) continue;
    outcomes.set(call.callId, outcome);
    entries.push(...endEntries(speakerOf(session), now, call, outcome));
  }
  const since = steps[0]?.stepId ?? session.stepId;
  for (const reference of await store.readReferences(session)) {
    if (reference.stepId < since) continue;
    const outcome = outcomes.get(reference.parentToolCallId);
    entries.unshift(...(await missedOfChild(ctx, session, reference, outcome, now)));
  }
  return entries;
}

/** More than a process commits before it writes what it has to say; more than that stays unsaid. */
const TAIL = 256;

interface RecentStep {
  readonly stepId: number;
  readonly results: ToolMessage[];
  /** Of its closing commit; none for a step that was closed from outside. */
  readonly checkpoint: CheckpointRow | undefined;
}

/** Steps of the last turn with results at the end of the transcript; a message that superseded the last may follow. */
async function recentSteps({ session, store }: StepView): Promise<RecentStep[]> {
  const rows = await store.readMessages(session, { after: session.messageCount - TAIL });
  const end = rows.findLastIndex(({ message }) => message.role !== 'user') + 1;
  const begin =
    rows.findLastIndex(({ message }, index) => index < end && message.role === 'user') + 1;
  const turn = rows.slice(begin, end);
  const checkpoints = await store.readCheckpoints(session, { limit: TAIL });
  const steps = new Map<number, RecentStep>();
  for (const { sequence, message } of turn) {
    if (message.role !== 'tool') continue;
    const checkpoint = checkpoints.findLast(
      ({ messageCount, stepId }) => messageCount >= sequence && stepId < session.stepId,
    );
    const stepId = checkpoint?.stepId ?? session.stepId - 1;
    const step = steps.get(stepId) ?? { stepId, results: [], checkpoint };
    step.results.push(message);
    steps.set(stepId, step);
  }
  return [...steps.values()];
}

async function missedOfChild(
  ctx: EngineContext,
  parent: SessionRow,
  reference: ChildReferenceRow,
  outcome: CallOutcome | undefined,
  now: number,
): Promise<StreamEntry[]> {
  const view = await readStepView(ctx, {
    rootId: parent.rootId,
    sessionId: reference.subSessionId,
  });
  // A tombstone never ran and has nothing to say.
  if (!view || !isTerminal(view.session) || view.session.turn === 0) return [];
  const end = outcome ? [childEndEntry(parent, reference, outcome, now)] : [];
  return [...(await missedEntries(ctx, view)), ...end];
}
