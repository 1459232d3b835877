import type { RunFailure } from '@helix-agents/core/loop';
import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  TimeoutFailure,
} from '@temporalio/workflow';

const MAX_MESSAGE = 1_000;
const OUTAGES: ReadonlySet<string> = new Set(['store_unavailable', 'store_busy']);

/** Whether a store that does not work for now is all that went wrong. */
export function isOutage(error: unknown): boolean {
  return OUTAGES.has(failureOf(error).code);
}

/** What went wrong, in words that fit into a history: in the activity, however deep below. */
export function failureOf(error: unknown): RunFailure {
  let cause = error;
  while (cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure)
    ({ cause } = cause);
  const code = cause instanceof ApplicationFailure ? cause.type : undefined;
  const text = cause instanceof Error ? cause.message : String(cause);
  const message = cause instanceof TimeoutFailure ? `No worker finished it in time: ${text}` : text;
  return { code: code ?? 'run_failed', message: message.slice(0, MAX_MESSAGE) };
}
