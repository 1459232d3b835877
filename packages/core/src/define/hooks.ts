import type { AgentConfig, Tool } from './types.ts';
import type { HookWrappers } from './hook-wrappers.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { LLMTool, StepResult } from '../llm/adapter.ts';
import type { AnswerDetails, Message } from '../messages/message.ts';
import type { StateWrite } from '../state/state-write.ts';
import type { CallPlace } from '../store/input-ids.ts';
import type {
  CallClass,
  CallOutcome,
  CallWait,
  OpenCallRow,
  RunStatus,
  RunTrigger,
  StoredError,
  SuspendedStatus,
} from '../store/rows.ts';
import type { StreamChunk } from '../stream/chunks.ts';
import type { StoredTrace } from '../trace/trace-context.ts';

/** What every hook can see and do. */
export interface HookContext {
  readonly sessionId: string;
  /** The session at the top of the tree; its own id at a root. */
  readonly rootId: string;
  readonly runId: string;
  /** Which run of the session it is, from 1. */
  readonly run: number;
  /** Which turn of the session it is, from 1. Resumes go on with a turn, a retry begins one. */
  readonly turn: number;
  readonly agentType: string;
  readonly streamId: string;
  readonly stepId: number;
  readonly stepCount: number;
  /** Rises with every takeover of the run: tells a repeated hook from the first. */
  readonly epoch: number;
  readonly parentAgentId?: string;
  /** The call of the parent that made this session; absent at a root. */
  readonly parent?: CallPlace;
  /** The trace that the turn belongs to, as its caller or the call of the parent gave it. */
  readonly trace: StoredTrace;
  readonly userId?: string;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly abortSignal: AbortSignal;
  getState<T = unknown>(): T;
  /** The change is part of the commit that follows the hook. In a hook that fires after its commit this is a typed error. */
  updateState<T = unknown>(change: (draft: T) => void): void;
  emit(chunk: StreamChunk): Promise<void>;
  emitCustom(name: string, data: JsonValue): Promise<void>;
}

interface CallPayload {
  readonly toolCallId: string;
  readonly toolName: string;
}

/** Payload of each hook. */
export interface HookPayloads {
  onAgentStart: {
    readonly agent: AgentConfig;
    readonly input: readonly Message[];
    readonly initialState: JsonValue;
  };
  onAgentResumed: {
    readonly sessionId: string;
    readonly runId: string;
    /** The run that it goes on from; empty in a branch or a session made by hand, which had none. */
    readonly previousRunId: string;
    readonly resumedFromCheckpointId: string | null;
  };
  onAgentSuspended: {
    readonly sessionId: string;
    readonly runId: string;
    readonly reason: 'client_tool' | 'awaiting_children';
    readonly status: SuspendedStatus;
    readonly toolCallIds: readonly string[];
  };
  onAgentComplete: {
    readonly output: JsonValue;
    readonly finalState: JsonValue;
    readonly stepCount: number;
    readonly durationMs: number;
  };
  onAgentFail: {
    readonly error: StoredError;
    readonly stepCount: number;
    readonly durationMs: number;
  };
  beforeLLMCall: { readonly messages: readonly Message[]; readonly tools: readonly LLMTool[] };
  afterLLMCall: { readonly result: StepResult; readonly durationMs: number };
  beforeTool: CallPayload & {
    readonly tool: Tool;
    readonly input: JsonValue;
    readonly attempt: string;
  };
  onStateChange: CallPayload & {
    readonly writes: readonly StateWrite[];
    readonly state: JsonValue;
  };
  onMessage: { readonly message: Message };
  afterTool: CallPayload &
    AnswerDetails & {
      readonly outcome: CallOutcome;
      /** When the tool was started and when it ended, maybe in another process and long ago. Absent if no tool was started. */
      readonly startedAt?: number;
      readonly endedAt?: number;
    };
  /**
   * A call came to its result: whatever kind of call it is and whoever gave the result, denials included. Fires in the run that took the
   * result in, also if other calls of the step are still open.
   */
  onCallSettled: CallPayload &
    AnswerDetails & {
      /** Of the call in its step. */
      readonly stepId: number;
      readonly index: number;
      readonly kind: CallClass;
      /** As the model proposed it and the tool's schema read it. */
      readonly input: JsonValue;
      readonly outcome: CallOutcome;
      /** The run that planned the call (`run` of its context), and when. */
      readonly plannedIn: number;
      readonly plannedAt: number;
      /** When its tool was started and ended; absent if no tool was started here. */
      readonly startedAt?: number;
      readonly endedAt?: number;
      /** The wait for a person, if one was asked. */
      readonly wait?: CallWait;
      readonly subAgent?: { readonly agentType: string; readonly sessionId: string };
    };
  beforeSubAgent: CallPayload & { readonly subSessionId: string; readonly subAgentType: string };
  afterSubAgent: CallPayload & { readonly subAgentType: string; readonly outcome: CallOutcome };
  /** A run has ended, however: also by a suspension, an interrupt or an abort. After the hook that is about this end. */
  onRunEnded: {
    readonly status: Exclude<RunStatus, 'running'>;
    readonly trigger: RunTrigger;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly stepCount: number;
    /** The run that began the turn, as `run` of its context: the same one, unless this was a resume. */
    readonly firstRun: number;
    readonly previousRunId: string | null;
    /** What the turn was asked. Absent in a resumed run. */
    readonly input?: readonly Message[];
    /** Of a completed run. */
    readonly output?: JsonValue;
    /** Of a failed one. */
    readonly error?: StoredError;
    /** Why it failed or was interrupted. */
    readonly reason?: string;
  };
  /** A call nears its deadline. Fired by the sweep, at most once per call: it is taken in the store first. */
  onCallReminder: { readonly call: OpenCallRow };
}

export type HookName = keyof HookPayloads;

/** One function for each hook. */
export type HookFunctions = {
  readonly [N in HookName]?: (
    payload: HookPayloads[N],
    context: HookContext,
  ) => void | Promise<void>;
};

/** All optional, sync or async. A hook that throws or hangs is logged and changes nothing. */
export type AgentHooks = HookFunctions & HookWrappers;

/** Hooks in the order they fire. */
export interface HookManager {
  readonly hooks: readonly AgentHooks[];
}

export interface HookRow {
  readonly operation: 'begin' | 'think' | 'tool' | 'start child' | 'settle' | 'end' | 'sweep';
  /** Whether it fires before the commit of its operation (and may change state) or after it. */
  readonly when: 'before' | 'after';
}

/** Which operation fires a hook, and on which side of its commit. */
export const HOOK_TABLE: Readonly<Record<HookName, HookRow>> = {
  onAgentStart: { operation: 'begin', when: 'after' },
  onAgentResumed: { operation: 'begin', when: 'after' },
  beforeLLMCall: { operation: 'think', when: 'before' },
  afterLLMCall: { operation: 'think', when: 'before' },
  beforeTool: { operation: 'tool', when: 'before' },
  onStateChange: { operation: 'tool', when: 'before' },
  beforeSubAgent: { operation: 'start child', when: 'after' },
  onMessage: { operation: 'settle', when: 'before' },
  afterTool: { operation: 'settle', when: 'before' },
  afterSubAgent: { operation: 'settle', when: 'before' },
  onCallSettled: { operation: 'settle', when: 'before' },
  onAgentSuspended: { operation: 'end', when: 'after' },
  onAgentComplete: { operation: 'end', when: 'after' },
  onAgentFail: { operation: 'end', when: 'after' },
  onRunEnded: { operation: 'end', when: 'after' },
  onCallReminder: { operation: 'sweep', when: 'after' },
};
