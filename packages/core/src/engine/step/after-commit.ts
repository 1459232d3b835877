import type { CommitPlan } from '../../store/commit-plan.ts';
import type { CallResult, InputRow, SessionRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { committedEntry, entry, speakerOf } from '../announce/chunk-entries.ts';
import { resultEntries } from '../announce/result-entries.ts';
import type { StepView } from '../rows/step-view.ts';
import type { StepCommit } from './commit-step-plan.ts';
import { callKeyText } from '../../store/call-key.ts';

/** Chunks that the commit of a step makes true. */
export function committedEntries(
  view: StepView,
  results: readonly CallResult[],
  { patches, messageCount, plan: { now } }: StepCommit,
): StreamEntry[] {
  const { session, plan } = view;
  const speaker = speakerOf(session);
  const entries: StreamEntry[] = [];
  for (const [position, call] of (plan?.calls ?? []).entries()) {
    const result = results[position];
    if (result) entries.push(...resultEntries(view, now, call, result.outcome));
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

function inputsAfterCommit({ inputs }: StepView, { update }: CommitPlan): readonly InputRow[] {
  if (inputs.length === 0) return inputs;
  const settled = new Set(update?.inputs?.map(({ inputId }) => inputId));
  return inputs.filter(({ inputId }) => !settled.has(inputId));
}

/** The rows of the next step as the commit left them: without settled calls and closed children. */
export function rowsAfterCommit(view: StepView, { plan }: StepCommit): StepRows {
  const settled = new Set(plan.update?.calls?.map((update) => callKeyText(update.key)));
  return {
    session: committedSession(view, plan),
    interrupt: null,
    journal: [],
    calls: view.calls.filter((row) => !settled.has(callKeyText(row))),
    references: view.references.filter(({ state }) => state !== 'closed'),
    children: [],
    inputs: inputsAfterCommit(view, plan),
  };
}
