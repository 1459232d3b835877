import { HelixError } from '../errors/helix-error.ts';
import type { LLMAdapter, LLMGenerateInput, StepResult } from './adapter.ts';
import {
  playStep,
  recordCall,
  type RecordedCall,
  type ScriptedStep,
  type ScriptOptions,
} from './scripted-step.ts';

/**
 * A model that answers from a queue.
 *
 * @example
 * new MockLLMAdapter([
 *   { type: 'tool_calls', toolCalls: [{ id: 'call-1', name: 'search', arguments: { query: 'x' } }] },
 *   { type: 'text', content: 'Found it.', shouldStop: true },
 * ]);
 */
export class MockLLMAdapter implements LLMAdapter {
  /** Every input so far, oldest first. */
  readonly calls: RecordedCall[] = [];
  readonly #steps: ScriptedStep[];
  readonly #options: ScriptOptions;

  constructor(steps: readonly ScriptedStep[] = [], options: ScriptOptions = {}) {
    this.#steps = [...steps];
    this.#options = options;
  }

  /** Adds to the end of the queue. */
  push(...steps: readonly ScriptedStep[]): void {
    this.#steps.push(...steps);
  }

  async generateStep(input: LLMGenerateInput): Promise<StepResult> {
    this.calls.push(recordCall(input));
    const step = this.#steps.shift();
    if (step !== undefined) return playStep(step, input, this.#options);
    throw new HelixError({
      code: 'provider_script_exhausted',
      message: `The scripted model has no answer left for call ${this.calls.length} (agent "${input.agentType}"); give it one more step.`,
    });
  }
}

/** One queue per agent type, so that a parent and its children never take each other's answers. */
export class RoutingMockLLMAdapter implements LLMAdapter {
  readonly calls: RecordedCall[] = [];
  readonly #models = new Map<string, MockLLMAdapter>();
  readonly #options: ScriptOptions;

  constructor(options: ScriptOptions = {}) {
    this.#options = options;
  }

  /** Replaces the queue of this agent type. */
  setResponses(agentType: string, steps: readonly ScriptedStep[]): void {
    this.#models.set(agentType, new MockLLMAdapter(steps, this.#options));
  }

  async generateStep(input: LLMGenerateInput): Promise<StepResult> {
    this.calls.push(recordCall(input));
    const model = this.#models.get(input.agentType);
    if (model) return model.generateStep(input);
    throw new HelixError({
      code: 'provider_script_exhausted',
      message: `The scripted model knows no agent "${input.agentType}"; call setResponses("${input.agentType}", …).`,
    });
  }
}
