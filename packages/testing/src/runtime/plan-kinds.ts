import { isRoot } from '@helix-agents/core/store';
import type { RunStatus } from '@helix-agents/core';
import type { CommitPlan, JournalKind } from '@helix-agents/core/store';

type Matches = (plan: CommitPlan) => boolean;

/** Writes the plan of a step and opens calls with it. */
export const opensCalls: Matches = (plan) => (plan.insert?.calls?.length ?? 0) > 0;

export const createsChild: Matches = (plan) =>
  plan.insert?.sessions?.some((row) => !isRoot(row) && !row.closed) ?? false;

/** Ends or begins a run with this status. */
export function setsStatus(status: RunStatus | 'suspended', sessionId?: string): Matches {
  return (plan) =>
    plan.sessions?.some(
      (update) =>
        (sessionId === undefined || update.sessionId === sessionId) &&
        (status === 'suspended'
          ? (update.set?.status?.startsWith('suspended_') ?? false)
          : update.set?.status === status),
    ) ?? false;
}

/** Moves a session to its next step: the commit of the step, or its close from outside. */
export const closesStep: Matches = (plan) =>
  plan.sessions?.some((update) => update.set?.stepId !== undefined) ?? false;

export function records(kind: JournalKind, sessionId?: string): Matches {
  return (plan) =>
    plan.insert?.journal?.some(
      (row) => row.kind === kind && (sessionId === undefined || row.sessionId === sessionId),
    ) ?? false;
}

/** Makes the result of a tool durable: by a record of its own, or riding in the close of its step. */
export function keepsResult(sessionId?: string): Matches {
  const recorded = records('result', sessionId);
  return (plan) =>
    recorded(plan) ||
    (plan.insert?.messages?.some(
      (row) =>
        row.message.role === 'tool' && (sessionId === undefined || row.sessionId === sessionId),
    ) ??
      false);
}

type OnPlan = (method: string, plan?: CommitPlan) => Promise<'pass'>;

/** An action for every plan that matches. */
export function onEach(matches: Matches, action: () => void | Promise<void>): OnPlan {
  return async (_method, plan) => {
    if (plan && matches(plan)) await action();
    return 'pass';
  };
}

/** An action for the first plan that matches; nothing for the others. */
export function onFirst(matches: Matches, action: () => void | Promise<void>): OnPlan {
  let done = false;
  const isFirst: Matches = (plan) => !done && matches(plan);
  return onEach(isFirst, () => {
    done = true;
    return action();
  });
}
