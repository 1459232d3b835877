import { answererOf } from '../store/answerer.ts';
import type { OpenCallRow, SessionRow } from '../store/rows.ts';
import {
  publicStatus,
  type CompletedClientToolCall,
  type PendingClientToolCall,
  type SessionState,
  type SuspensionContext,
} from './session-state.ts';
import { isSuspended } from '../engine/rows/session-status.ts';
import { isRoot, parentIdOf } from '../store/session-place.ts';
import { callName } from '../store/call-key.ts';

/** The state of a session at a time, out of its row and the calls of its root. Shares nothing with either. */
export function stateView(
  session: SessionRow,
  calls: readonly OpenCallRow[],
  now: number,
): SessionState {
  const aborted = session.status === 'failed' && session.failureReason === 'aborted';
  const own = calls.filter((call) => call.ownerSessionId === session.sessionId);
  const ofTree = isRoot(session) ? calls : own;
  const isPending = pendingIn(session);
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
      ofTree.filter(({ state, purgeAt }) => state === 'settled' && (purgeAt ?? Infinity) > now),
      completedCall,
    ),
    clientToolCallOwnership: isRoot(session)
      ? byId(calls.filter(isPending), (call) => call.ownerSessionId)
      : {},
    suspensionContext: suspensionContext(session, calls),
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
  };
}

/** Cancelled and superseded calls are not pending. In an interrupted session, neither are calls that are already answered. */
function pendingIn({ status }: SessionRow): (call: OpenCallRow) => boolean {
  return ({ state, outcome }) =>
    state === 'open' ||
    (state === 'answered' &&
      status !== 'interrupted' &&
      outcome !== 'cancelled' &&
      outcome !== 'superseded');
}

function suspensionContext(
  session: SessionRow,
  calls: readonly OpenCallRow[],
): SuspensionContext | null {
  if (!isSuspended(session)) return null;
  const { sessionId, stepId, userId, tags, metadata, failureReason } = session;
  const waitsFor = calls.filter(
    ({ state, route }) => state !== 'settled' && route.includes(sessionId),
  );
  const owners = waitsFor.map(({ ownerSessionId }) => ownerSessionId);
  const deadlines = waitsFor.flatMap(({ state, ownerSessionId, deadlineAt }) =>
    state === 'open' && ownerSessionId === sessionId && deadlineAt !== null ? [deadlineAt] : [],
  );
  return {
    suspendedStepId: stepId,
    suspendedAwaitingChildren: [...new Set(owners)].filter((owner) => owner !== sessionId),
    tracingContext: structuredClone({ userId, tags: [...tags], metadata }),
    expiresAt: deadlines.length > 0 ? Math.min(...deadlines) : null,
    failureReason,
  };
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
