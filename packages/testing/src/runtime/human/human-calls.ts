import type { Scenario } from '../world.ts';
import { answersAreRemembered } from './answers-are-remembered.ts';
import { answersFindTheirCall } from './answers-find-their-call.ts';
import { answersGoDown } from './answers-go-down.ts';
import { approvalRules } from './approval-rules.ts';
import { approvedInput } from './approved-input.ts';
import { childrenAreStopped } from './children-are-stopped.ts';
import { childrenRunOutOfTime } from './children-run-out-of-time.ts';
import { childrenWait } from './children-wait.ts';
import { deadlinesExpireOnce } from './deadlines-expire-once.ts';
import { decisionsStand } from './decisions-stand.ts';
import { editedInput } from './edited-input.ts';
import { hookChangesRideInTheCommit } from './hook-changes-ride-in-the-commit.ts';
import { hookTableHolds } from './hook-table-holds.ts';
import { hooksFireInOrder } from './hooks-fire-in-order.ts';
import { hooksSpeak } from './hooks-speak.ts';
import { inbox } from './inbox.ts';
import { messagesWhileAsked } from './messages-while-asked.ts';
import { resumedElsewhere } from './resumed-elsewhere.ts';
import { shownInput } from './shown-input.ts';
import { submissions } from './submissions.ts';
import { sweepsFindWhatIsDue } from './sweeps-find-what-is-due.ts';
import { toldOutside } from './told-outside.ts';
import { whoAnswered } from './who-answered.ts';

/** Everything about people that are asked, in sessions whose every run is in a process of its own. */
export function humanCalls(it: Scenario): void {
  for (const property of properties) property(it);
}

const properties: readonly ((it: Scenario) => void)[] = [
  deadlinesExpireOnce,
  sweepsFindWhatIsDue,
  answersAreRemembered,
  submissions,
  answersFindTheirCall,
  answersGoDown,
  approvalRules,
  approvedInput,
  editedInput,
  shownInput,
  whoAnswered,
  decisionsStand,
  resumedElsewhere,
  messagesWhileAsked,
  childrenWait,
  childrenAreStopped,
  childrenRunOutOfTime,
  inbox,
  toldOutside,
  hooksFireInOrder,
  hookChangesRideInTheCommit,
  hookTableHolds,
  hooksSpeak,
];
