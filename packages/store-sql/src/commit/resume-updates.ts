import { openCalls, runs } from '../rows/tables.ts';
import { plainUpdateText } from './plain-update.ts';
import { updateOne } from './row-statements.ts';

export const CALL_KEY: readonly string[] = ['root_id', 'tool_call_id', 'part'];
export const RUN_KEY: readonly string[] = ['run_id'];

const names = (list: string): readonly string[] => list.split(' ');

const claimed = names(
  'status host_kind updated_at lease_owner lease_until started epoch run_id turn recoveries error failure_reason output last_commit resume_count',
);
const ended = names('status lease_owner lease_until last_commit updated_at output error');
const closedStep = names('step_id step_count message_count');

/**
 * The updates of a resume that completes: an answer taken in by the claim, then the last step. A commit that sets something else is
 * prepared when it comes, so a difference costs time and nothing more.
 */
export const resumeUpdates: readonly string[] = [
  plainUpdateText(
    [...claimed, ...closedStep, 'step_message'],
    ['session_id', 'version', 'records', 'status'],
  ),
  updateOne(openCalls, CALL_KEY, ['state', 'settled_at', 'purge_at']),
  plainUpdateText(
    [...ended, ...closedStep],
    ['session_id', 'version', 'epoch', 'step_id', 'records', 'status', 'no_interrupt'],
  ),
  updateOne(runs, RUN_KEY, ['status', 'step_count', 'completed_at']),
];
