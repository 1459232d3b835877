import type { LoopOperations, LoopOutcomeStatus, LoopRun } from '@helix-agents/core/loop';

/** A signal of this name to the workflow of a session's run is an interrupt of it; its argument is the reason. */
export const INTERRUPT_SIGNAL_NAME = 'interrupt';

/** How long the parts of a run may take. Travels in the workflow's input: a changed setting is for runs that begin. */
export interface WorkflowSettings {
  /** One model call with its retries. Default 15 minutes. */
  readonly modelTimeoutMs: number;
  /** One tool that has no `timeoutMs` of its own. Default 1 hour. */
  readonly toolTimeoutMs: number;
  /** One other operation: reads, a commit, hooks. Default 2 minutes. */
  readonly operationTimeoutMs: number;
  /** A worker that is silent for this long is dead, and another one repeats what it did. Default 3 seconds. */
  readonly heartbeatTimeoutMs: number;
  /** Attempts at one operation before the run fails; a store that is down gets more. A deploy's shutdown is not one. Default 10. */
  readonly maxAttempts: number;
  /** Wait after the first failed attempt; doubled up to 10 seconds. Default 200. */
  readonly firstRetryMs: number;
  /** A history of more events goes on in a new one; Temporal may ask for that earlier. Default 4,000. */
  readonly maxHistoryEvents: number;
}

export const DEFAULT_SETTINGS: WorkflowSettings = {
  modelTimeoutMs: 15 * 60_000,
  toolTimeoutMs: 60 * 60_000,
  operationTimeoutMs: 2 * 60_000,
  heartbeatTimeoutMs: 3_000,
  maxAttempts: 10,
  firstRetryMs: 200,
  maxHistoryEvents: 4_000,
};

/** Ids and settings; never text, input, output or state. */
export interface AgentWorkflowInput {
  readonly run: LoopRun;
  /** First part of the ids of this run's sub-agents. */
  readonly prefix: string;
  readonly settings: WorkflowSettings;
  /** Set when an earlier workflow of the same id began this run and its history grew too long. */
  readonly continued?: boolean;
  /** Names of the search attributes that sub-agents carry too. */
  readonly searchAttributes?: SearchAttributeNames;
}

/** How a workflow ended. `stale`: another owner has the session. The output is in the store. */
export interface AgentWorkflowResult {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: Exclude<LoopOutcomeStatus, 'handover'>;
}

/** Keyword search attributes, registered in the namespace by you. */
export interface SearchAttributeNames {
  readonly sessionId?: string;
  readonly agentType?: string;
}

/** A run as activities get it. */
export interface TriedRun extends LoopRun {
  /** Attempts at this operation that an outage of the store has used up, before those that Temporal counts. */
  readonly earlierAttempts?: number;
}

/** The operations of core as activities: they take and give ids, enums and counters, at most 16 kB. */
export interface GenericActivities {
  beginRun: LoopOperations['begin'];
  settleStep: LoopOperations['settle'];
  think: LoopOperations['think'];
  runTool: LoopOperations['tool'];
  /** Waits for a child that is driven elsewhere, as long as one operation may take. */
  startChild: LoopOperations['startChild'];
  collectChild: LoopOperations['collectChild'];
  giveUpChild: LoopOperations['giveUpChild'];
  failRun: LoopOperations['fail'];
  endRun: LoopOperations['end'];
  /** Asks the run and its running sub-agents to stop at their next boundary. */
  stopRun(run: LoopRun, reason?: string): Promise<void>;
}
