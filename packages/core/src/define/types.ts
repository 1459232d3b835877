import type { JsonValue } from '../json.ts';
import type { AgentHooks } from './hooks.ts';
import type { LLMConfig } from '../llm/adapter.ts';
import type { ToolExecution } from '../store/rows.ts';

/** What we need of a validation library: zod 4 gives it, so does any Standard Schema with a JSON Schema. */
export interface Schema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type InferSchema<S> = S extends {
  readonly '~standard': { readonly types?: (infer T) | undefined };
}
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : unknown;

/** What a schema takes in, before defaults and transforms. */
export type InferSchemaInput<S> = S extends {
  readonly '~standard': { readonly types?: (infer T) | undefined };
}
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : unknown
  : unknown;

/** What a running tool may do. State changes ride in the commit of its step. */
export interface ToolContext {
  readonly agentId: string;
  readonly agentType: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
  /** Stable over every retry of this call: hand it to the service you call. */
  readonly idempotencyKey: string;
  readonly abortSignal: AbortSignal;
  getState<T = unknown>(): T;
  updateState<T = unknown>(change: (draft: T) => void): void;
  /** Writes a `custom` chunk. */
  emit(eventName: string, data: JsonValue): Promise<void>;
  recordUsage(metric: { name: string; value: number; [key: string]: JsonValue }): void;
}

export interface ApprovalContext {
  readonly sessionId: string;
  readonly agentType: string;
  readonly toolCallId: string;
  getState<T = unknown>(): T;
}

export type RequireApproval<Input = unknown> =
  | boolean
  | ((input: Input, context: ApprovalContext) => boolean | Promise<boolean>);

/**
 * A tool as the engine sees it, made by `defineTool` or `createSubAgentTool`. Plain `Tool` is any tool;
 * its arguments tell what a call takes in and what it comes to.
 */
export interface Tool<Input = never, Output = unknown> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema<Output>;
  readonly execute: 'client' | ((input: Input, context: ToolContext) => unknown);
  readonly finishWith?: boolean;
  readonly requireApproval?: RequireApproval<Input>;
  readonly execution?: ToolExecution;
  readonly timeoutMs?: number;
  readonly clientToolTimeoutMs?: number | 'never';
  readonly approvalTimeoutMs?: number | 'never';
  readonly strict?: boolean;
  /** Present on a sub-agent tool. */
  readonly subAgent?: { readonly agent: AgentConfig; readonly timeoutMs?: number };
}

export type Durability = 'call' | 'step';

/** An agent as data. Plain `AgentConfig` is any agent. */
export interface AgentConfig<State extends Schema = Schema, Output extends Schema = Schema> {
  /** Unique; doubles as the agent type. */
  readonly name: string;
  readonly description?: string;
  readonly systemPrompt: string | ((state: never) => string);
  readonly tools?: readonly Tool[];
  /** Parses `{}`: every field has a default. */
  readonly stateSchema?: State;
  readonly outputSchema?: Output;
  readonly llmConfig: LLMConfig;
  readonly maxSteps?: number;
  readonly durability?: Durability;
  readonly clientToolTimeoutMs?: number | 'never';
  readonly approvalTimeoutMs?: number | 'never';
  readonly completedTombstoneRetentionMs?: number;
  readonly hooks?: AgentHooks;
}

export type InferToolInput<T> = T extends Tool<infer Input, infer _Output> ? Input : never;
export type InferToolOutput<T> = T extends Tool<infer _Input, infer Output> ? Output : never;
export type InferAgentState<A> =
  A extends AgentConfig<infer State, infer _Output> ? InferSchema<State> : never;
export type InferAgentOutput<A> =
  A extends AgentConfig<infer _State, infer Output> ? InferSchema<Output> : never;
