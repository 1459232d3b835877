import { outcomeOfToolMessage } from '../../messages/builders.ts';
import type { ToolMessage } from '../../messages/message.ts';
import type { CallOutcome, ChildReferenceRow, SessionRow } from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { childEndEntry } from './child-end.ts';
import { endEntries, speakerOf } from './chunk-entries.ts';
import type { EngineContext } from './context.ts';
import { isTerminal, readStepView, type StepView } from './step-view.ts';

/**
 * What a process that died right after a commit did not live to announce: results of the step in progress and of the
 * newest committed one, of this session and of its children that have ended. All under their keys, so that what was
 * announced stays as it is.
 */
export async function missedEntries(ctx: EngineContext, view: StepView): Promise<StreamEntry[]> {
  const { session, store } = view;
  const now = ctx.clock.now();
  const outcomes = new Map<string, CallOutcome>();
  const entries: StreamEntry[] = [];
  for (const message of await resultsOfLastStep(view)) {
    const call = { callId: message.toolCallId, toolName: message.toolName };
    const outcome = outcomeOfToolMessage(message);
    outcomes.set(call.callId, outcome);
    entries.push(...endEntries(speakerOf(session, session.stepId - 1), now, call, outcome));
  }
  for (const call of view.plan?.calls ?? []) {
    const outcome = view.results.get(call.index)?.outcome;
    if (!outcome) continue;
    outcomes.set(call.callId, outcome);
    entries.push(...endEntries(speakerOf(session), now, call, outcome));
  }
  for (const reference of await store.readReferences(session)) {
    if (reference.stepId < session.stepId - 1) continue;
    const outcome = outcomes.get(reference.parentToolCallId);
    entries.unshift(...(await missedOfChild(ctx, session, reference, outcome, now)));
  }
  return entries;
}

/** More messages than a step and what follows it have; a longer one is announced in part. */
const TAIL = 256;

/** The results at the end of the transcript; a message that superseded their step may follow them. */
async function resultsOfLastStep({ session, store }: StepView): Promise<ToolMessage[]> {
  const found: ToolMessage[] = [];
  const rows = await store.readMessages(session, { after: session.messageCount - TAIL });
  const end = rows.findLastIndex(({ message }) => message.role !== 'user');
  for (const { message } of rows.slice(0, end + 1).toReversed()) {
    if (message.role !== 'tool') break;
    found.unshift(message);
  }
  return found;
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
