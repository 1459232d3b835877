import type { CommitPlan } from '../../store/commit-plan.ts';
import type { CallResult, SessionRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { committedEntry, endEntries, entry, speakerOf } from '../announce/chunk-entries.ts';
import type { StepClosing } from './close-step-plan.ts';
import type { EngineContext } from '../context.ts';
import type { StepView } from '../rows/step-view.ts';
import { callKeyText } from '../../store/call-key.ts';

/** What the commit that closed a step has made true. */
export function closeEntries(
  ctx: EngineContext,
  { session, plan }: StepView,
  results: readonly CallResult[],
  { patches, messageCount }: StepClosing,
): StreamEntry[] {
  const now = ctx.clock.now();
  const speaker = speakerOf(session);
  const entries: StreamEntry[] = [];
  for (const [position, call] of (plan?.calls ?? []).entries()) {
    const result = results[position];
    if (result) entries.push(...endEntries(speaker, now, call, result.outcome));
  }
  if (patches.length > 0) {
    const key = `state:${session.sessionId}:${session.stepId}`;
    entries.push(entry(speaker, now, 'state_patch', { patches }, key));
  }
  entries.push(committedEntry(speaker, now, session.version + 1, messageCount));
  return entries;
}

/** The session as a commit of its owner left it. */
export function committedSession({ session }: StepView, plan: CommitPlan): SessionRow {
  return { ...session, ...plan.sessions?.[0]?.set, version: session.version + 1 };
}

/** The rows as the closing commit left them: the calls it settled and the children of its step are done with. */
export function rowsAfterClose(view: StepView, { plan }: StepClosing): StepRows {
  const settled = new Set(plan.update?.calls?.map((update) => callKeyText(update.key)));
  return {
    session: committedSession(view, plan),
    interrupt: null,
    journal: [],
    calls: view.calls.filter((row) => !settled.has(callKeyText(row))),
    references: view.references.filter(({ state }) => state !== 'closed'),
    children: [],
  };
}
