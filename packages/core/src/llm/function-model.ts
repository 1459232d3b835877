import type { LLMAdapter, LLMGenerateInput, StepResult } from './adapter.ts';
import { playStep, recordCall, type RecordedCall, type ScriptOptions } from './scripted-step.ts';

export interface FunctionModel extends LLMAdapter {
  /** The newest 1,000 inputs this process saw, oldest first. Each is a copy of a transcript. */
  readonly calls: readonly RecordedCall[];
}

/** Most inputs that are kept, so that memory does not grow in a long-running server. */
const KEPT_CALLS = 1_000;

/**
 * A model that is a function of the transcript. It keeps no place in a script, so the same answers come
 * after a crash and in another process.
 */
export function functionModel(
  answer: (input: LLMGenerateInput) => StepResult | Promise<StepResult>,
  options: ScriptOptions = {},
): FunctionModel {
  const calls: RecordedCall[] = [];
  return {
    calls,
    generateStep(input) {
      calls.push(recordCall(input));
      if (calls.length > KEPT_CALLS) calls.shift();
      return playStep(answer, input, options);
    },
  };
}
