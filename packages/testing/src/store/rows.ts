import type { JsonValue, OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';
import type { CallResult } from '@helix-agents/core/store';
import type {
  CheckpointRow,
  ChildReferenceRow,
  JournalRow,
  MessageRow,
  SessionRef,
  StepRecord,
  UsageRow,
} from '@helix-agents/core/store';

/** The time of every row and plan that does not say otherwise. */
export const T0 = 1_800_000_000_000;
export const HOUR = 3_600_000;

/** A running root `s1` in its first step. Give it a `rootId` to make it a child of that root. */
export function sessionRow(given: Partial<SessionRow> = {}): SessionRow {
  const sessionId = given.sessionId ?? 's1';
  const rootId = given.rootId ?? sessionId;
  const isChild = rootId !== sessionId;
  return {
    sessionId,
    rootId,
    route: isChild ? [rootId, sessionId] : [sessionId],
    unitId: rootId,
    parentStepId: isChild ? 1 : null,
    parentIndex: isChild ? 0 : null,
    agentType: 'researcher',
    streamId: rootId,
    version: 1,
    epoch: 1,
    records: 0,
    status: 'running',
    runId: `run-1-of-${sessionId}`,
    turn: 1,
    started: true,
    hostKind: 'js',
    leaseOwner: null,
    leaseUntil: null,
    recoveries: 0,
    stepId: 1,
    stepCount: 1,
    stepMessage: null,
    messageCount: 0,
    customState: { notes: [] },
    output: null,
    error: null,
    failureReason: null,
    closed: false,
    lastCommit: 'commit-0',
    resumeCount: 0,
    ends: 0,
    reported: null,
    wakeAt: null,
    stop: null,
    userId: null,
    tags: [],
    metadata: {},
    createdAt: T0,
    updatedAt: T0,
    ...given,
  };
}

export function refOf(row: SessionRef): SessionRef {
  return { rootId: row.rootId, sessionId: row.sessionId };
}

export function messageRow(sequence: number, given: Partial<MessageRow> = {}): MessageRow {
  const message = { role: 'user', content: `message ${sequence}` } as const;
  return { sessionId: 's1', sequence, message, createdAt: T0, ...given };
}

type JournalPlace = Partial<Pick<JournalRow, 'sessionId' | 'stepId' | 'index'>>;

/** The recorded answer of the model. */
export function planRow(given: JournalPlace & { readonly data?: StepRecord } = {}): JournalRow {
  const data: StepRecord = {
    message: { role: 'assistant', content: 'hello' },
    calls: [],
    stop: true,
  };
  return { sessionId: 's1', stepId: 1, index: -1, kind: 'plan', data, createdAt: T0, ...given };
}

export function startRow(attempt: string, given: JournalPlace = {}): JournalRow {
  const data = { attempt };
  return { sessionId: 's1', stepId: 1, index: 0, kind: 'start', data, createdAt: T0, ...given };
}

export function resultRow(value: JsonValue, given: JournalPlace = {}): JournalRow {
  const data: CallResult = { outcome: { success: true, value } };
  return { sessionId: 's1', stepId: 1, index: 0, kind: 'result', data, createdAt: T0, ...given };
}

/** Something pinned to `s1`. */
export function pinRow(index: number): JournalRow {
  const data = { capability: `c${index}`, prompt: 'Be kind. ü\0' };
  return { sessionId: 's1', stepId: 0, index, kind: 'pin', data, createdAt: T0 };
}

/** An open client call of `s1` without a deadline. */
export function callRow(toolCallId: string, given: Partial<OpenCallRow> = {}): OpenCallRow {
  const rootId = given.rootId ?? 's1';
  return {
    rootId,
    toolCallId,
    part: '',
    kind: 'client',
    unitId: rootId,
    ownerSessionId: rootId,
    ownerStepId: 1,
    ownerIndex: 0,
    route: [rootId],
    ownerAgentType: 'researcher',
    toolName: 'pickFile',
    input: { path: '/tmp' },
    rawInput: null,
    inputHash: 'hash',
    approvalId: null,
    timeoutMs: null,
    deadlineAt: null,
    remindAt: null,
    state: 'open',
    outcome: null,
    answer: null,
    answeredBy: null,
    answeredAt: null,
    submissionId: null,
    settledAt: null,
    purgeAt: null,
    retentionMs: HOUR,
    userId: null,
    remote: null,
    openedAt: T0,
    ...given,
  };
}

/** A call that is over. */
export function settledCallRow(toolCallId: string, given: Partial<OpenCallRow> = {}): OpenCallRow {
  return callRow(toolCallId, {
    state: 'settled',
    outcome: 'answered',
    answer: { kind: 'result', value: 'done' },
    answeredBy: 'user-1',
    answeredAt: T0,
    settledAt: T0,
    ...given,
  });
}

export function referenceRow(
  subSessionId: string,
  given: Partial<ChildReferenceRow> = {},
): ChildReferenceRow {
  return {
    sessionId: 's1',
    subSessionId,
    agentType: 'helper',
    parentToolCallId: `call-of-${subSessionId}`,
    stepId: 1,
    index: 0,
    state: 'live',
    status: 'active',
    remote: null,
    continuation: 1,
    mode: 'ephemeral',
    name: null,
    generation: 1,
    started: false,
    told: 0,
    asked: 0,
    wake: false,
    closingStep: null,
    closingAt: null,
    closeReason: null,
    startedAt: T0,
    completedAt: null,
    ...given,
  };
}

export function checkpointRow(version: number, given: Partial<CheckpointRow> = {}): CheckpointRow {
  return {
    sessionId: 's1',
    version,
    checkpointId: `checkpoint-${version}`,
    runId: 'run-1-of-s1',
    stepId: 1,
    stepCount: 1,
    status: 'running',
    messageCount: 0,
    customState: { notes: [] },
    streamSequence: 0,
    timestamp: T0,
    ...given,
  };
}

export function runRow(runId: string, given: Partial<RunRow> = {}): RunRow {
  return {
    runId,
    sessionId: 's1',
    turn: 1,
    status: 'running',
    trigger: 'execute',
    stepCount: 0,
    previousRunId: null,
    fromCheckpointId: null,
    startSequence: 0,
    startedAt: T0,
    completedAt: null,
    ...given,
  };
}

export function usageRow(id: string, given: Partial<UsageRow> = {}): UsageRow {
  return {
    id,
    sessionId: 's1',
    rootId: 's1',
    runId: 'run-1-of-s1',
    stepCount: 1,
    kind: 'tokens',
    sourceType: 'agent',
    sourceName: 'researcher',
    data: { model: 'scripted', tokens: { prompt: 3, completion: 4 } },
    timestamp: T0,
    ...given,
  };
}
