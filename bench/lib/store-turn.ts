import type { Message, SessionRow } from '@helix-agents/core';
import type {
  CheckpointRow,
  CommitKind,
  CommitPlan,
  MessageRow,
  SessionStore,
} from '@helix-agents/core/store';
import { FINAL_TEXT, STEPS, TOOL_INPUT, TOOL_OUTPUT } from './agents.ts';

const RESULT = JSON.stringify(TOOL_OUTPUT);

/** The raw turn again, over our store: what is left of the speed before the engine does anything. */
export async function storeTurn(store: SessionStore, sessionId: string): Promise<void> {
  const start = [{ role: 'user', content: 'go' }] as const;
  await put(store, {
    ...base(sessionId),
    guard: { sessions: [{ sessionId, absent: true }] },
    insert: { sessions: [sessionRow(sessionId)], messages: rows(sessionId, 0, start) },
  });
  for (let step = 0; step < STEPS; step += 1) {
    await commitStep(store, sessionId, step, 1 + step * 2, messagesOf(step));
  }
  const last: Message = { role: 'assistant', id: 'last', content: FINAL_TEXT };
  await commitStep(store, sessionId, STEPS, 1 + STEPS * 2, [last]);
}

/** A session whose first turn took so many steps and is over. */
export async function seedSession(
  store: SessionStore,
  sessionId: string,
  agentType: string,
  steps: number,
): Promise<void> {
  const turn = Array.from({ length: steps }, (_, step) => messagesOf(step)).flat();
  const last: Message = { role: 'assistant', id: 'last', content: FINAL_TEXT };
  const messages = [{ role: 'user', content: 'go' } as const, ...turn, last];
  const session = { ...sessionRow(sessionId), agentType, messageCount: messages.length };
  await put(store, {
    ...base(sessionId),
    guard: { sessions: [{ sessionId, absent: true }] },
    insert: { sessions: [session], messages: rows(sessionId, 0, messages) },
  });
}

function messagesOf(step: number): readonly Message[] {
  const id = `call-${step}`;
  const call = { id, name: 'search', arguments: TOOL_INPUT };
  return [
    { role: 'assistant', id, content: '', toolCalls: [call] },
    {
      role: 'tool',
      toolCallId: id,
      toolName: 'search',
      content: RESULT,
      format: 'json',
      success: true,
    },
  ];
}

async function commitStep(
  store: SessionStore,
  sessionId: string,
  step: number,
  before: number,
  messages: readonly Message[],
): Promise<void> {
  const plan = base(sessionId, 'step');
  const messageCount = before + messages.length;
  await put(store, {
    ...plan,
    guard: { sessions: [{ sessionId, version: 1 + step }] },
    sessions: [
      {
        sessionId,
        set: { messageCount, lastCommit: plan.commitId, updatedAt: plan.now },
        raise: { version: true },
      },
    ],
    insert: {
      messages: rows(sessionId, before, messages),
      checkpoints: [checkpointRow(sessionId, step, messageCount, plan.now)],
    },
  });
}

function checkpointRow(
  sessionId: string,
  step: number,
  messageCount: number,
  timestamp: number,
): CheckpointRow {
  return {
    sessionId,
    version: 2 + step,
    checkpointId: `${sessionId}-${step}`,
    runId: sessionId,
    stepId: 1,
    stepCount: step,
    status: 'running',
    messageCount,
    customState: {},
    streamSequence: 0,
    timestamp,
  };
}

async function put(store: SessionStore, plan: CommitPlan): Promise<void> {
  if (!(await store.commit(plan))) throw new Error('the plan was refused');
}

function base(
  rootId: string,
  kind: CommitKind = 'create',
): Pick<CommitPlan, 'kind' | 'rootId' | 'commitId' | 'now'> {
  return { kind, rootId, commitId: crypto.randomUUID(), now: Date.now() };
}

function rows(sessionId: string, before: number, messages: readonly Message[]): MessageRow[] {
  const createdAt = Date.now();
  return messages.map((message, index) => ({
    sessionId,
    sequence: before + index + 1,
    message,
    createdAt,
  }));
}

function sessionRow(sessionId: string): SessionRow {
  const now = Date.now();
  return {
    rootId: sessionId,
    sessionId,
    route: [sessionId],
    unitId: sessionId,
    parentStepId: null,
    parentIndex: null,
    agentType: 'raw',
    streamId: sessionId,
    version: 1,
    epoch: 1,
    records: 0,
    status: 'completed',
    runId: sessionId,
    turn: 1,
    started: true,
    hostKind: 'bench',
    leaseOwner: null,
    leaseUntil: null,
    recoveries: 0,
    stepId: 1,
    stepCount: 0,
    stepMessage: null,
    messageCount: 1,
    customState: {},
    output: null,
    error: null,
    failureReason: null,
    closed: false,
    lastCommit: '',
    resumeCount: 0,
    ends: 0,
    reported: null,
    wakeAt: null,
    stop: null,
    userId: null,
    tags: [],
    metadata: {},
    createdAt: now,
    updatedAt: now,
  };
}
