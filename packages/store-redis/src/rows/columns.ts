import type { ChildReferenceRow, OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';

/** Columns of a session: fields of its hash, each as JSON; null is a field that is not there. */
export const SESSION_COLUMNS: readonly (keyof SessionRow)[] = [
  'sessionId',
  'rootId',
  'route',
  'unitId',
  'parentStepId',
  'parentIndex',
  'agentType',
  'streamId',
  'version',
  'epoch',
  'records',
  'status',
  'runId',
  'turn',
  'started',
  'hostKind',
  'leaseOwner',
  'leaseUntil',
  'recoveries',
  'stepId',
  'stepCount',
  'stepMessage',
  'messageCount',
  'customState',
  'output',
  'error',
  'failureReason',
  'closed',
  'lastCommit',
  'resumeCount',
  'userId',
  'tags',
  'metadata',
  'createdAt',
  'updatedAt',
];

/**
 * A row that is one line of JSON per column, in this order, in one field of a hash. JSON has no line breaks, so a script
 * can look at a column and replace it without reading JSON. New columns come last; older rows lack them.
 *
 * The scripts know the first columns by number (lua/calls.ts, lua/commit.ts).
 */
export type Lines<Row> = readonly (keyof Row & string)[];

/** `sending` names the command that answered it. */
export type StoredCall = OpenCallRow & { readonly sending: string | null };

export const CALL_LINES: Lines<StoredCall> = [
  'state',
  'outcome',
  'deadlineAt',
  'remindAt',
  'purgeAt',
  'openedAt',
  'answeredAt',
  'settledAt',
  'answer',
  'answeredBy',
  'userId',
  'ownerSessionId',
  'sending',
  'rootId',
  'toolCallId',
  'part',
  'kind',
  'ownerStepId',
  'ownerIndex',
  'route',
  'ownerAgentType',
  'toolName',
  'input',
  'inputHash',
  'approvalId',
  'timeoutMs',
  'retentionMs',
  'unitId',
];

export const REFERENCE_LINES: Lines<ChildReferenceRow> = [
  'state',
  'startedAt',
  'completedAt',
  'stepId',
  'sessionId',
  'subSessionId',
  'agentType',
  'parentToolCallId',
  'index',
  'continuation',
  'mode',
  'name',
  'closeReason',
];

/** Columns of a run: fields of its hash, like those of a session. */
export const RUN_COLUMNS: readonly (keyof RunRow)[] = [
  'runId',
  'sessionId',
  'turn',
  'status',
  'trigger',
  'stepCount',
  'previousRunId',
  'fromCheckpointId',
  'startSequence',
  'startedAt',
  'completedAt',
];
