import type { AgentHooks } from '../define/hooks.ts';
import type { Tool } from '../define/types.ts';
import type { JsonObject } from '../json.ts';
import type { Logger } from '../logger.ts';
import type { Message } from '../messages/message.ts';

/** The session that a capability is asked for. */
export interface CapabilitySession {
  readonly sessionId: string;
  readonly rootId: string;
  readonly runId: string;
  readonly agentType: string;
  readonly stepId: number;
  /** Steps since the last message of the user; 0 in the first step of a turn. */
  readonly stepCount: number;
  readonly userId?: string;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  /** The custom state, as the operation that asks has it. */
  readonly state: unknown;
  /** Aborts when the run is stopped. */
  readonly abortSignal: AbortSignal;
  readonly logger: Logger;
  /** The transcript, without the step in progress. */
  readMessages(): Promise<readonly Message[]>;
  /**
   * Waits this long for `work`, then rejects with `capability_timeout` while `work` goes on unheard: for what the run can do
   * without.
   */
  within<T>(ms: number, work: () => T | Promise<T>): Promise<T>;
}

/** What `beforeStep` may add to the transcript: the model reads it, people are not shown it. */
export interface CapabilityNote {
  readonly content: string;
  readonly metadata?: JsonObject;
}

export interface StepAdditions {
  readonly notes?: readonly CapabilityNote[];
}

/**
 * What an agent brings to a run besides its own tools. Each function runs inside an operation, so it may do I/O, and may be
 * called again by a repeat or by another process. It has `timeoutMs`; one that throws or takes longer fails the step with
 * `capability_failed` or `capability_timeout`, and nothing of the step is written.
 */
export interface Capability {
  /** Unique in its agent: `a-z`, `0-9` and hyphens. What it brings to a session is kept under this name. */
  readonly name: string;
  /** How long each function may take. Default 5,000. */
  readonly timeoutMs?: number;
  /**
   * Tools besides those of the agent. A list is part of the definition. What a function returns, as the model is shown it, is
   * pinned by the first plan of a session: later only what runs behind these tools can change. No sub-agents and no `finishWith`; from a
   * function no client tools either.
   */
  readonly tools?:
    | readonly Tool[]
    | ((session: CapabilitySession) => readonly Tool[] | Promise<readonly Tool[]>);
  /**
   * A piece of the system prompt, after the agent's own. A text is part of the definition. What a function returns is pinned by
   * the first plan of a session: every later step, run and process gets the same bytes.
   */
  readonly prompt?: string | ((session: CapabilitySession) => string | Promise<string>);
  /** Before the model is asked, in every step. Notes are written with the step, in front of its answer. */
  readonly beforeStep?: (
    session: CapabilitySession,
  ) => StepAdditions | void | Promise<StepAdditions | void>;
  /** As the hooks of an agent, fired after them. */
  readonly hooks?: AgentHooks;
}
