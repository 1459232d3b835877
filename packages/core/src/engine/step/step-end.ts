import { DEFAULT_MAX_STEPS } from '../../define/defaults.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { JsonValue } from '../../json.ts';
import type { CallResult, StepRecord, StoredError } from '../../store/rows.ts';

/** What a step that is committed makes of its run. */
export type StepEnd =
  | { readonly status: 'running' }
  | { readonly status: 'completed'; readonly output: JsonValue }
  | { readonly status: 'failed'; readonly error: StoredError };

/**
 * A finish call that succeeded completes the run with its value; so does a final text. Else the run goes on, up to the
 * agent's `maxSteps`. `results` are in call order, `stepCount` includes this step. Pure.
 */
export function stepEnd(
  agent: Pick<AgentConfig, 'maxSteps'>,
  { calls, message, stop }: StepRecord,
  results: readonly CallResult[],
  stepCount: number,
): StepEnd {
  for (const [position, call] of calls.entries()) {
    const outcome = results[position]?.outcome;
    if (call.class === 'finish' && outcome?.success)
      return { status: 'completed', output: outcome.value };
  }
  if (calls.length === 0 && stop) return { status: 'completed', output: message.content };
  const limit = agent.maxSteps ?? DEFAULT_MAX_STEPS;
  if (stepCount < limit) return { status: 'running' };
  const text = `The run did not finish within ${limit} steps; raise maxSteps or give it a smaller task.`;
  return { status: 'failed', error: { code: 'run_max_steps_exceeded', message: text } };
}
