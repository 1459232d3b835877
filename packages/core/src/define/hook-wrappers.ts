import type { HookContext } from './hooks.ts';
import type { JsonValue } from '../json.ts';
import type { LLMConfig, LLMTool, StepResult } from '../llm/adapter.ts';
import type { Message } from '../messages/message.ts';
import type { CallResult } from '../store/rows.ts';

/** One attempt at an answer of the model. */
export interface ModelAttempt {
  /** From 1: a failed attempt is followed by another one. Starts again when a process takes the run over (see `epoch`). */
  readonly attempt: number;
  readonly messages: readonly Message[];
  readonly tools: readonly LLMTool[];
  readonly config: LLMConfig;
}

export type ModelOutcome =
  | {
      readonly status: 'answered';
      readonly result: StepResult;
      /** When its first piece arrived, where it was streamed. */
      readonly firstChunkAt?: number;
    }
  | {
      readonly status: 'failed';
      readonly error: { readonly code: string; readonly message: string };
    }
  /** The run was stopped, or lost its owner. */
  | { readonly status: 'stopped' };

/** One start of a tool. */
export interface ToolAttempt {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly stepId: number;
  readonly index: number;
  /** As the tool gets it. */
  readonly input: JsonValue;
}

export type ToolOutcome =
  | { readonly status: 'ended'; readonly outcome: CallResult['outcome'] }
  | { readonly status: 'threw'; readonly error: unknown };

/** What each wrapper is around. */
export interface WrappedWork {
  readonly aroundModelCall: { readonly call: ModelAttempt; readonly outcome: ModelOutcome };
  readonly aroundTool: { readonly call: ToolAttempt; readonly outcome: ToolOutcome };
}

export type WrapperName = keyof WrappedWork;

/**
 * Functions around the work itself, so that what it does happens in their context: an active span, an `AsyncLocalStorage`. They call
 * `work` once and may look at what it came to; they cannot change it. If one throws, or does not call `work`, the work is done all
 * the same.
 */
export type HookWrappers = {
  readonly [N in WrapperName]?: (
    call: WrappedWork[N]['call'],
    work: () => Promise<WrappedWork[N]['outcome']>,
    context: HookContext,
  ) => unknown;
};
