import { acceptedAnswersAppear, oneOutcomePerCall } from './answer-rules.ts';
import {
  openRowsHaveWaitingOwners,
  rowsAndResultsAgree,
  statusAndWaitsAgree,
} from './call-rules.ts';
import { gatedToolsWereApproved, onceMeansOnce, recordedResultsStand } from './execution-rules.ts';
import {
  childrenBelongToTheirParents,
  createdOnce,
  everythingEnds,
  interruptsHitTheirRun,
  refusalsAreJustified,
  treesDoNotMix,
} from './other-rules.ts';
import { oldOwnersWriteNothing, runsFormAChain, stepsStayInBudget } from './run-rules.ts';
import {
  numbersHaveNoGap,
  oneEndPerRun,
  readersSeeTheLog,
  streamTellsTheTranscript,
} from './stream-rules.ts';
import { violationsOf, type Rule } from './support.ts';
import {
  callIdsAreUnique,
  committedStays,
  countsAgree,
  everyCallHasOneResult,
  promptsAreValid,
  stoppedTextNeedsAMessage,
} from './transcript-rules.ts';
import type { History, Violation } from './types.ts';

/** Every rule a history has to keep, by the id it is documented under. */
export const HISTORY_RULES: readonly Rule[] = [
  everyCallHasOneResult,
  callIdsAreUnique,
  countsAgree,
  committedStays,
  promptsAreValid,
  stoppedTextNeedsAMessage,
  openRowsHaveWaitingOwners,
  rowsAndResultsAgree,
  statusAndWaitsAgree,
  acceptedAnswersAppear,
  oneOutcomePerCall,
  gatedToolsWereApproved,
  onceMeansOnce,
  recordedResultsStand,
  runsFormAChain,
  oldOwnersWriteNothing,
  stepsStayInBudget,
  numbersHaveNoGap,
  readersSeeTheLog,
  streamTellsTheTranscript,
  oneEndPerRun,
  refusalsAreJustified,
  createdOnce,
  childrenBelongToTheirParents,
  interruptsHitTheirRun,
  everythingEnds,
  treesDoNotMix,
];

/** What is wrong with a history; nothing, when all rules hold. */
export function checkHistory(history: History): Violation[] {
  return HISTORY_RULES.flatMap((rule) => violationsOf(rule, history));
}
