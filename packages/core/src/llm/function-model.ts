import type { LLMAdapter, LLMGenerateInput, StepResult } from './adapter.ts';
import { playStep, recordCall, type RecordedCall, type ScriptOptions } from './scripted-step.ts';

export interface FunctionModel extends LLMAdapter {
  /** Every input this process saw, oldest first. */
  readonly calls: readonly RecordedCall[];
}

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
      return playStep(answer, input, options);
    },
  };
}
