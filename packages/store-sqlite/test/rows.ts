import type {
  CallKey,
  ChildReferenceRow,
  CommitPlan,
  JournalRow,
  MessageRow,
  OpenCallRow,
  SessionRow,
} from '@helix-agents/core';

export const T0 = 1_800_000_000_000;

export function sessionRow(given: Partial<SessionRow> = {}): SessionRow {
  const sessionId = given.sessionId ?? 's1';
  return {
    sessionId,
    rootId: sessionId,
    parentSessionId: null,
    parentStepId: null,
    parentIndex: null,
    agentType: 'researcher',
    streamId: sessionId,
    version: 1,
    epoch: 1,
    records: 0,
    status: 'running',
    runId: 'run-1',
    turn: 1,
    started: true,
    hostKind: 'js',
    engineId: null,
    leaseOwner: 'owner',
    leaseUntil: T0 + 1000,
    recoveries: 0,
    stepId: 1,
    stepCount: 1,
    stepMessage: null,
    messageCount: 0,
    customState: {},
    output: null,
    error: null,
    failureReason: null,
    closed: false,
    lastCommit: 'seed',
    resumeCount: 0,
    userId: null,
    tags: [],
    metadata: {},
    createdAt: T0,
    updatedAt: T0,
    ...given,
  };
}

export function messageRow(sequence: number, content: string = `message ${sequence}`): MessageRow {
  return { sessionId: 's1', sequence, message: { role: 'user', content }, createdAt: T0 };
}

export function callKey(toolCallId: string): CallKey {
  return { rootId: 's1', toolCallId, part: '' };
}

export function callRow(toolCallId: string, given: Partial<OpenCallRow> = {}): OpenCallRow {
  return {
    ...callKey(toolCallId),
    kind: 'client',
    ownerSessionId: 's1',
    ownerStepId: 1,
    ownerIndex: 0,
    route: ['s1'],
    ownerAgentType: 'researcher',
    toolName: 'askUser',
    input: { question: 'why' },
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
    settledAt: null,
    purgeAt: null,
    retentionMs: 1000,
    userId: null,
    openedAt: T0,
    ...given,
  };
}

export function referenceRow(given: Partial<ChildReferenceRow> = {}): ChildReferenceRow {
  return {
    sessionId: 's1',
    subSessionId: 's1-sub-1-0',
    agentType: 'helper',
    parentToolCallId: 'call-9',
    stepId: 1,
    index: 0,
    state: 'live',
    continuation: 1,
    mode: 'ephemeral',
    name: null,
    closeReason: null,
    startedAt: T0,
    completedAt: null,
    ...given,
  };
}

export function startRow(index: number): JournalRow {
  const data = { attempt: 'a' };
  return { sessionId: 's1', stepId: 1, index, kind: 'start', data, createdAt: T0 };
}

/** Updates `s1` at version 1. */
export function planOf(parts: Partial<CommitPlan> = {}): CommitPlan {
  return {
    rootId: 's1',
    commitId: crypto.randomUUID(),
    now: T0,
    guard: { sessions: [{ sessionId: 's1', version: 1 }] },
    sessions: [{ sessionId: 's1', set: { updatedAt: T0 + 1 }, raise: { version: true } }],
    ...parts,
  };
}

export function seedOf(...sessions: readonly SessionRow[]): CommitPlan {
  const rootId = sessions[0]!.rootId;
  return { rootId, commitId: crypto.randomUUID(), now: T0, guard: {}, insert: { sessions } };
}
