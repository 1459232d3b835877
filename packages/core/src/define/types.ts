import type { Capability } from '../capability/types.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { AgentHooks } from './hooks.ts';
import type { LLMConfig } from '../llm/adapter.ts';
import type { SkillDefinition, SkillProvider } from '../skills/types.ts';
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

/** What a running tool may do. State changes ride in the commit of its step. `State` is what the tool's `stateSchema` says. */
export interface ToolContext<State = unknown> {
  readonly agentId: string;
  readonly agentType: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
  /** Stable over every retry of this call: hand it to the service you call. */
  readonly idempotencyKey: string;
  readonly abortSignal: AbortSignal;
  /** W3C Trace Context of this call: send it along to the services that the tool asks. */
  readonly traceparent: string;
  /** As this tool has it now: with its own changes, without those of tools that run beside it. */
  readonly state: State;
  /** The same as `state`. */
  getState<T = State>(): T;
  updateState<T = State>(change: (draft: T) => void): void;
  /** Writes a `custom` chunk. */
  emit(eventName: string, data: JsonValue): Promise<void>;
  recordUsage(metric: { name: string; value: number; [key: string]: JsonValue }): void;
}

export interface ApprovalContext<State = unknown> {
  readonly sessionId: string;
  readonly agentType: string;
  readonly toolCallId: string;
  readonly state: State;
  /** The same as `state`. */
  getState<T = State>(): T;
}

export type RequireApproval<Input = unknown, State = unknown> =
  | boolean
  | ((input: Input, context: ApprovalContext<State>) => boolean | Promise<boolean>);

/**
 * A tool as the engine sees it, made by `defineTool` or `createSubAgentTool`. Plain `Tool` is any tool; its arguments tell
 * what a call takes in, what it comes to, how it is named and which state it was written for.
 */
export interface Tool<
  Input = never,
  Output = unknown,
  Name extends string = string,
  State = unknown,
> {
  readonly name: Name;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema<Output>;
  /** The state this tool was written for; the agent's must have all of it. */
  readonly stateSchema?: Schema<State>;
  readonly execute: 'client' | ((input: Input, context: ToolContext<never>) => unknown);
  readonly finishWith?: boolean;
  readonly requireApproval?: RequireApproval<Input, never>;
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
export interface AgentConfig<
  State extends Schema = Schema,
  Output extends Schema = Schema,
  Tools extends readonly Tool[] = readonly Tool[],
> {
  /** Unique; doubles as the agent type. */
  readonly name: string;
  readonly description?: string;
  readonly systemPrompt: string | ((state: never) => string);
  readonly tools?: Tools;
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
  /** Instructions that the model loads when a task needs them. A sub-agent has its own or none. */
  readonly skills?: SkillProvider | readonly SkillDefinition[];
  /** Names of skills whose instructions are in the prompt from the start. */
  readonly preloadSkills?: readonly string[];
  /** What the agent brings to a run besides its tools. A sub-agent has its own or none. */
  readonly capabilities?: readonly Capability[];
}

export type InferToolInput<T> = T extends Tool<infer Input, infer _Output> ? Input : never;
export type InferToolOutput<T> = T extends { readonly outputSchema?: Schema<infer Output> }
  ? Output
  : never;
export type InferAgentState<A> = A extends { readonly stateSchema?: infer State }
  ? InferSchema<State>
  : never;
/** The tools of an agent, as a union. */
export type InferAgentTools<A> = A extends { readonly tools?: infer Tools }
  ? NonNullable<Tools> extends readonly (infer T)[]
    ? T
    : never
  : never;
/** What a run of the agent comes to: what its `outputSchema` says, text without one, or what a `finishWith` tool returns. */
export type InferAgentOutput<A> = A extends { readonly outputSchema?: infer Output }
  ? InferSchema<Output> | FinishOutput<InferAgentTools<A>>
  : never;
/** The state a session of the agent may be started with: any of its fields, before defaults. */
export type InferInitialState<A> = A extends { readonly stateSchema?: infer State }
  ? unknown extends InferSchemaInput<State>
    ? JsonObject
    : Partial<InferSchemaInput<State>>
  : JsonObject;

type FinishOutput<T> = T extends { readonly finishWith?: infer Finish }
  ? true extends Finish
    ? InferToolOutput<T>
    : never
  : never;
