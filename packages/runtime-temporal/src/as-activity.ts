import { errorMessage, HelixError } from '@helix-agents/core';
import type { OuterScope } from '@helix-agents/core/host';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { TriedRun } from './workflow-contract.ts';

/** An operation as an activity: with a sign of life while it runs. */
export function asActivity<Args extends readonly [TriedRun, ...unknown[]], T>(
  work: (scope: OuterScope, ...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    const activity = Context.current();
    const { attempt, heartbeatTimeoutMs } = activity.info;
    const beat = setInterval(() => activity.heartbeat(), (heartbeatTimeoutMs ?? 3_000) / 3);
    const scope: OuterScope = {
      attempt: attempt + (args[0].earlierAttempts ?? 0),
      signal: activity.cancellationSignal,
      // A shutdown is between two workers; anything else means that another attempt is under way, or none is wanted.
      stopReason: () => (activity.cancellationDetails?.workerShutdown ? 'shutdown' : 'lost'),
    };
    try {
      return await work(scope, ...args);
    } catch (error) {
      // As Temporal keeps it: its code survives, and nothing of its cause but the message.
      const type = HelixError.isInstance(error) ? error.code : 'run_failed';
      throw ApplicationFailure.create({ type, message: errorMessage(error).slice(0, 1_000) });
    } finally {
      clearInterval(beat);
    }
  };
}
