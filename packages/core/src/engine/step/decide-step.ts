import type { PlanEntry } from '../../loop/host.ts';
import type { CallResult, OpenCallRow, PlannedCall } from '../../store/rows.ts';
import { resultOfAnswer } from '../rows/answer-result.ts';
import { callKeyText } from '../../store/call-key.ts';
import { isSuspended } from '../rows/session-status.ts';
import { ownCall } from '../rows/step-view.ts';
import type { ChildView, StepTree } from '../rows/child-view.ts';

/** The rows that decide. */
export type DecidedRows = Pick<
  StepTree,
  'session' | 'plan' | 'results' | 'calls' | 'childViews' | 'describe'
>;

/** What one call of a step needs next. */
type CallState =
  | { readonly kind: 'done'; readonly result: CallResult }
  /** Its answer is there and can be taken in by the next commit. */
  | { readonly kind: 'answered'; readonly result: CallResult; readonly row: OpenCallRow }
  | { readonly kind: 'runnable' }
  | { readonly kind: 'waiting' };

export type StepDecision =
  | { readonly kind: 'dispatch'; readonly calls: readonly PlanEntry[] }
  /** Every call has its result. */
  | {
      readonly kind: 'commit';
      readonly results: readonly CallResult[];
      readonly accepted: readonly AcceptedAnswer[];
    }
  /** Something waits for a person. */
  | { readonly kind: 'suspend'; readonly accepted: readonly AcceptedAnswer[] };

/** An answer that the next commit moves from its row into the step. */
export interface AcceptedAnswer {
  readonly call: PlannedCall;
  readonly result: CallResult;
  readonly row: OpenCallRow;
}

/**
 * What comes next for a step that has a plan. Runnable calls are dispatched first. When none is left and something waits for a
 * person, the run suspends; else the finish calls run one by one, each with the state that the others made; else the step is
 * committed. Pure.
 */
export function decideStep(view: DecidedRows): StepDecision {
  const runnable: PlanEntry[] = [];
  const accepted: AcceptedAnswer[] = [];
  const results: CallResult[] = [];
  let waits = false;
  let finish: PlannedCall | null = null;
  for (const call of view.plan?.calls ?? []) {
    const state = decideCall(view, call);
    if (state.kind === 'waiting') waits = true;
    else if (state.kind === 'runnable') {
      if (call.class === 'finish') finish ??= call;
      else runnable.push(toEntry(call));
    } else {
      results.push(state.result);
      if (state.kind === 'answered') accepted.push({ call, result: state.result, row: state.row });
    }
  }
  if (runnable.length > 0) return { kind: 'dispatch', calls: runnable };
  if (waits) return { kind: 'suspend', accepted };
  if (finish) return { kind: 'dispatch', calls: [toEntry(finish)] };
  return { kind: 'commit', results, accepted };
}

/** Calls that can run right after think, before anybody answered. */
export function runnableAtOnce(calls: readonly PlannedCall[]): PlanEntry[] {
  return calls.filter((call) => call.class === 'server' || call.class === 'subagent').map(toEntry);
}

function decideCall(view: DecidedRows, call: PlannedCall): CallState {
  const result = view.results.get(call.index);
  if (result) return { kind: 'done', result };
  switch (call.class) {
    case 'server':
    case 'finish':
    case 'settled':
      return { kind: 'runnable' };
    case 'client':
    case 'approval': {
      const row = ownCall(view, call);
      if (!row || row.state === 'open') return { kind: 'waiting' };
      const answer = resultOfAnswer(row, view.describe);
      return answer ? { kind: 'answered', result: answer, row } : { kind: 'runnable' };
    }
    case 'subagent': {
      const child = view.childViews.get(call.index);
      return { kind: child && childWaits(child) ? 'waiting' : 'runnable' };
    }
  }
}

/**
 * A child waits when it is suspended, all its open calls are known here, and none of them is answered. One whose run failed
 * (`error`) waits only in a store of its own, while a person may still answer one of its calls. One that cannot be reached
 * does not: what it waits for is not known. Pure.
 */
export function childWaits(child: ChildView): boolean {
  if (child.place === 'unreachable') return false;
  const { session, callsHere } = child;
  if (!session || !isSuspended(session)) return false;
  if (callsHere.some((row) => row.state === 'answered')) return false;
  switch (child.place) {
    case 'same-store':
      return !session.error;
    case 'own-store': {
      if (session.error) return callsHere.some((row) => row.state === 'open');
      const known = new Set(callsHere.map(callKeyText));
      return child.callsThere.every((row) => row.state !== 'open' || known.has(callKeyText(row)));
    }
  }
}

function toEntry(call: PlannedCall): PlanEntry {
  return {
    index: call.index,
    callId: call.callId,
    class: call.class === 'client' || call.class === 'settled' ? 'server' : call.class,
    timeoutMs: call.timeoutMs,
    execution: call.execution,
  };
}
