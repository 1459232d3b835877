import type {
  ChildInOwnStore,
  ChildInSameStore,
  UnreachableChild,
} from '../src/engine/rows/child-view.ts';
import { freshSession } from '../src/engine/rows/fresh-session.ts';
import { callKey } from '../src/store/call-key.ts';
import { placeBelow, rootPlace } from '../src/store/session-place.ts';
import type {
  CallClass,
  CallOutcomeName,
  CallResult,
  CallState,
  ChildReferenceRow,
  OpenCallRow,
  PlannedCall,
  SessionRow,
  StepRecord,
} from '../src/store/rows.ts';

/** Rows of one step, for tests of the functions that decide about it. The session is `s`, its step 1. */

const HOST = { identity: { hostKind: 'test' } };

export function session(fields: Partial<SessionRow> = {}): SessionRow {
  const given = { agentType: 'root', customState: {} };
  const row = freshSession(HOST, rootPlace('s'), given, 0);
  return { ...row, version: 1, epoch: 1, runId: 'run', turn: 1, ...fields };
}

/** The child of the call with that index. */
export function childSession(fields: Partial<SessionRow> = {}): SessionRow {
  const place = placeBelow(rootPlace('s'), 'child');
  return session({ ...place, agentType: 'child', started: true, ...fields });
}

export function call(
  index: number,
  kind: CallClass,
  fields: Partial<PlannedCall> = {},
): PlannedCall {
  return {
    index,
    callId: `call-${index}`,
    toolName: `tool-${index}`,
    class: kind,
    execution: 'retry',
    timeoutMs: null,
    input: {},
    ...(kind === 'settled' ? { result: succeeded(index) } : {}),
    ...fields,
  };
}

export function record(
  calls: readonly PlannedCall[],
  fields: Partial<StepRecord> = {},
): StepRecord {
  return { message: { role: 'assistant', content: 'Hello' }, calls, stop: true, ...fields };
}

export function succeeded(value: number | string): CallResult {
  return { outcome: { success: true, value } };
}

export function failed(code: string): CallResult {
  return { outcome: { success: false, error: { code, message: code } } };
}

/** Recorded results, by call index. */
export function results(...indexes: readonly number[]): ReadonlyMap<number, CallResult> {
  return new Map(indexes.map((index) => [index, succeeded(index)]));
}

const ANSWERS: Record<CallOutcomeName, OpenCallRow['answer']> = {
  answered: { kind: 'result', value: 'answer' },
  approved: { kind: 'approved' },
  denied: { kind: 'denied' },
  expired: { kind: 'none' },
  cancelled: { kind: 'none' },
  superseded: { kind: 'none' },
};

/** The row of a human call: of `s` itself, or with `owner` of a session below it. */
export function row(
  index: number,
  state: CallState,
  { outcome = null, owner = 's' }: { outcome?: CallOutcomeName | null; owner?: string } = {},
): OpenCallRow {
  return {
    ...callKey({ rootId: 's', toolCallId: owner === 's' ? `call-${index}` : `${owner}-${index}` }),
    unitId: 's',
    kind: 'client',
    ownerSessionId: owner,
    ownerStepId: 1,
    ownerIndex: index,
    route: owner === 's' ? ['s'] : ['s', owner],
    ownerAgentType: 'root',
    toolName: `tool-${index}`,
    input: {},
    rawInput: null,
    inputHash: '',
    approvalId: null,
    timeoutMs: null,
    deadlineAt: null,
    remindAt: null,
    state,
    outcome,
    answer: outcome && ANSWERS[outcome],
    answeredBy: null,
    answeredAt: null,
    submissionId: null,
    settledAt: null,
    purgeAt: null,
    retentionMs: 0,
    userId: null,
    remote: null,
    openedAt: 0,
  };
}

export const open: OpenCallRow = row(0, 'open', { owner: 'child' });
export const answered: OpenCallRow = row(0, 'answered', { owner: 'child', outcome: 'answered' });
export const settled: OpenCallRow = row(0, 'settled', { owner: 'child', outcome: 'answered' });

export function reference(index: number): ChildReferenceRow {
  return {
    sessionId: 's',
    subSessionId: 'child',
    agentType: 'child',
    parentToolCallId: `call-${index}`,
    stepId: 1,
    index,
    state: 'live',
    continuation: 1,
    status: 'active',
    remote: null,
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
    startedAt: 0,
    completedAt: null,
  };
}

const REF = { rootId: 's', sessionId: 'child' };

/** A child in the store of its parent; null: it does not exist yet. */
export function sameStore(
  row: SessionRow | null,
  callsHere: readonly OpenCallRow[] = [],
  index = 0,
): ChildInSameStore {
  return { place: 'same-store', ref: REF, reference: reference(index), session: row, callsHere };
}

/** A child in a store of its own. */
export function ownStore(
  row: SessionRow | null,
  callsHere: readonly OpenCallRow[] = [],
  callsThere: readonly OpenCallRow[] = [],
): ChildInOwnStore {
  const child = { ref: REF, reference: reference(0), session: row };
  return { ...child, place: 'own-store', callsHere, callsThere };
}

/** A child in a store of its own that fails. */
export function unreachable(callsHere: readonly OpenCallRow[] = []): UnreachableChild {
  const cause = new Error('down');
  return { place: 'unreachable', ref: REF, reference: reference(0), callsHere, cause };
}

export const describeError = (code: string, english?: string): string => english ?? code;
