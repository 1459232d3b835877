import type { JsonObject, JsonValue } from '../json.ts';
import type { Message } from '../messages/message.ts';
import type { TokenCounts } from '../usage/usage.ts';
import type { CacheStrategy } from './cache/cache-strategy.ts';

export interface LLMConfig {
  /**
   * The model of this agent: the provider's model object, a list of them (the next is a fallback), or any other value the model
   * adapter takes. Default: the model that `createHelix`, or the adapter, was given.
   */
  readonly model?: unknown;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  /** Retries of one model call after a retryable failure. Default 3. */
  readonly maxRetries?: number;
  /** The longest wait before a retry, also when the provider asks for more (`retry-after`). Default 60,000. */
  readonly maxRetryDelayMs?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly providerOptions?: JsonObject;
  readonly strictOutput?: boolean;
  /** Whether the model may, must or must not call tools, or which one it must. Default `'auto'`. */
  readonly toolChoice?: 'auto' | 'required' | 'none' | { readonly toolName: string };
  /** What the provider is asked to cache. Default nothing. */
  readonly cache?: CacheStrategy | readonly CacheStrategy[];
}

/** A tool as the model sees it. */
export interface LLMTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonObject;
  readonly strict?: boolean;
}

export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'content_filter'
  | 'error'
  | 'unknown';

interface StepResultBase {
  readonly stopReason?: StopReason;
  /** The model that answered, if it may be another than the agent's first. */
  readonly modelId?: string;
  readonly usage?: TokenCounts;
  readonly providerMetadata?: JsonObject;
}

export interface LLMToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
  /** Set when the arguments were no valid JSON: the text as it came. */
  readonly invalidArguments?: string;
}

/** One model call's answer. */
export type StepResult =
  | (StepResultBase & {
      readonly type: 'text';
      readonly content: string;
      readonly thinking?: string;
      readonly shouldStop: boolean;
    })
  | (StepResultBase & {
      readonly type: 'tool_calls';
      readonly content?: string;
      readonly thinking?: string;
      readonly toolCalls: readonly LLMToolCall[];
      readonly subAgentCalls?: readonly {
        readonly id: string;
        readonly agentType: string;
        readonly input: JsonValue;
      }[];
    })
  | (StepResultBase & { readonly type: 'structured_output'; readonly output: JsonValue })
  | (StepResultBase & {
      readonly type: 'error';
      readonly error: Error;
      readonly shouldStop: boolean;
    });

/** Called while the model answers, in order. The engine turns them into chunks. */
export interface LLMCallbacks {
  onTextDelta(delta: string): Promise<void> | void;
  onThinking(content: string, isComplete: boolean): Promise<void> | void;
  /** The input of a tool call begins to stream. `index` counts the calls of this answer. */
  onToolInputStart(call: { index: number; id: string; name: string }): Promise<void> | void;
  onToolInputDelta(call: { index: number; delta: string }): Promise<void> | void;
}

export interface LLMGenerateInput {
  /** System message first. */
  readonly messages: readonly Message[];
  readonly tools: readonly LLMTool[];
  readonly config: LLMConfig;
  readonly abortSignal: AbortSignal;
  readonly callbacks: LLMCallbacks;
  readonly agentId: string;
  readonly agentType: string;
  /** JSON Schema of the agent's output, where it has one. */
  readonly outputSchema?: JsonObject;
}

/**
 * One model call per step. A failure is thrown as `HelixError` (retryable by its code) or returned as
 * `type: 'error'`. Retries belong to the engine, never to the adapter.
 */
export interface LLMAdapter {
  generateStep(input: LLMGenerateInput): Promise<StepResult>;
}
