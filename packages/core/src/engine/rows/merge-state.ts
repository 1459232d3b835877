import type { JsonObject, JsonValue } from '../../json.ts';
import { applyWrites } from '../../state/apply-writes.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { CallResult, PlannedCall } from '../../store/rows.ts';

const WAVE: Record<PlannedCall['class'], number> = {
  settled: 0,
  server: 0,
  subagent: 0,
  client: 0,
  approval: 1,
  finish: 2,
};

/**
 * State writes of a step in merge order: by wave, then by call index. The order does not depend on who finished first
 * nor on crashes, so every host merges to the same state.
 */
export function orderedWrites(
  calls: readonly PlannedCall[],
  resultOf: (call: PlannedCall) => CallResult | undefined,
): StateWrite[] {
  return [...calls]
    .sort((a, b) => WAVE[a.class] - WAVE[b.class] || a.index - b.index)
    .flatMap((call) => resultOf(call)?.writes ?? []);
}

/** Fields that the caller of a new turn gives replace those of the state. */
export function replaceFields(base: JsonValue, state: JsonObject | undefined): JsonValue {
  return state ? { ...(base as JsonObject), ...state } : base;
}

export function mergeState(base: JsonValue, writes: readonly StateWrite[]): JsonValue {
  return writes.length === 0 ? base : applyWrites(base, writes);
}
