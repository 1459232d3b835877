import type { CallOutcome, PlannedCall } from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { ownCall, type StepView } from '../rows/step-view.ts';
import { askEntry, endEntries, speakerOf } from './chunk-entries.ts';

/**
 * The end of a call of the step in progress. A question to a person comes before its answer: its owner may have died, or the
 * stream may have been down, before it was announced, and the person may have found it in the inbox.
 */
export function resultEntries(
  view: Pick<StepView, 'session' | 'calls'>,
  timestamp: number,
  call: PlannedCall,
  outcome: CallOutcome,
): StreamEntry[] {
  const question = ownCall(view, call);
  const ends = endEntries(speakerOf(view.session), timestamp, call, outcome);
  return question ? [askEntry(question, timestamp), ...ends] : ends;
}
