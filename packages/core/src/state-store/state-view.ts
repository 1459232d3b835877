import { answererOf } from '../store/answerer.ts';
import type { OpenCallRow, SessionRow } from '../store/rows.ts';
import {
  publicStatus,
  type CompletedClientToolCall,
  type PendingClientToolCall,
  type SessionState,
} from './session-state.ts';
import { isRoot, parentIdOf } from '../store/session-place.ts';
import { callName } from '../store/call-key.ts';

/** The state of a session out of its row and the calls of its root. Shares nothing with either. */
export function stateView(session: SessionRow, calls: readonly OpenCallRow[]): SessionState {
  const aborted = session.status === 'failed' && session.failureReason === 'aborted';
  const own = calls.filter((call) => call.ownerSessionId === session.sessionId);
  const ofTree = isRoot(session) ? calls : own;
  const { customState, output, error, tags, metadata } = structuredClone({
    customState: session.customState,
    output: session.output,
    error: session.error,
    tags: [...session.tags],
    metadata: session.metadata,
  });
  return {
    sessionId: session.sessionId,
    agentType: session.agentType,
    streamId: session.streamId,
    parentSessionId: parentIdOf(session),
    rootSessionId: session.rootId,
    runId: session.runId === '' ? null : session.runId,
    stepId: session.stepId,
    stepCount: session.stepCount,
    messageCount: session.messageCount,
    status: publicStatus(session.status),
    runStatus: session.status,
    output,
    error,
    failureReason: session.failureReason,
    aborted,
    abortReason: aborted ? (session.error?.message ?? null) : null,
    customState,
    userId: session.userId,
    tags,
    metadata,
    version: session.version,
    resumeCount: session.resumeCount,
    pendingClientToolCalls: byId(own.filter(isPending), pendingCall),
    completedClientToolCalls: byId(
      ofTree.filter((call) => call.state === 'settled'),
      completedCall,
    ),
    clientToolCallOwnership: isRoot(session)
      ? byId(calls.filter(isPending), (call) => call.ownerSessionId)
      : {},
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
  };
}

function isPending(call: OpenCallRow): boolean {
  return call.state !== 'settled';
}

function byId<T>(
  calls: readonly OpenCallRow[],
  show: (call: OpenCallRow) => T,
): { [toolCallId: string]: T } {
  return Object.fromEntries(calls.map((call) => [callName(call), show(call)]));
}

function pendingCall(call: OpenCallRow): PendingClientToolCall {
  const { toolCallId, toolName, kind, approvalId, deadlineAt, openedAt } = call;
  return {
    toolCallId,
    toolName,
    kind,
    input: structuredClone(call.input),
    ...(call.rawInput !== null && { rawInput: structuredClone(call.rawInput) }),
    approvalId,
    deadlineAt,
    openedAt,
    ...(call.answeredAt !== null && { submittedAt: call.answeredAt }),
    ...(call.outcome !== null && { outcome: call.outcome }),
    ...(call.answer !== null && { response: structuredClone(call.answer) }),
  };
}

function completedCall(call: OpenCallRow): CompletedClientToolCall {
  return {
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    outcome: call.outcome,
    completedAt: call.settledAt ?? call.answeredAt ?? call.openedAt,
    ...answererOf(call),
  };
}
