/**
 * What the loop and its host say to each other: ids, enums and counters only, never text, input, output or state.
 * Engines persist these values and cap their size.
 */

/** Raised when the order of operations changes; travels in the run's input. */
export const LOOP_VERSION = 1;

/** One ownership of one run: the epoch is the fence. */
export interface LoopRun {
  readonly rootId: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly epoch: number;
  readonly agentType: string;
  readonly loopVersion: number;
  /** Another owner had begun this run: it died, or gave the run back. */
  readonly goesOn?: true;
}

/** One runnable call. */
export interface PlanEntry {
  readonly index: number;
  readonly callId: string;
  readonly class: 'server' | 'approval' | 'subagent' | 'finish';
  readonly timeoutMs: number | null;
  readonly execution: 'retry' | 'once';
}

/** An expected failure is a value. `stale`: another owner has the session, this run stops here. */
export interface Refusal {
  readonly ok: false;
  readonly code: string;
}

export type Done = { readonly ok: true } | Refusal;
export type ThinkResult = { readonly ok: true; readonly calls: readonly PlanEntry[] } | Refusal;
export type SettleResult =
  | { readonly ok: true; readonly next: 'think' }
  | { readonly ok: true; readonly next: 'end' }
  | { readonly ok: true; readonly next: 'dispatch'; readonly calls: readonly PlanEntry[] }
  | Refusal;

export type RunOutcomeStatus =
  | 'completed'
  | 'failed'
  | 'interrupted'
  | 'suspended_client_tool'
  | 'suspended_awaiting_children'
  | 'suspended_step_partial'
  /** Another owner has the session. */
  | 'stale'
  /** Given back on purpose: the same run goes on under a new epoch. */
  | 'handover';

export interface RunOutcome {
  readonly status: RunOutcomeStatus;
}

/**
 * The operations, as a runtime offers them to the loop: direct calls, activities, steps. Each is idempotent. A throw
 * means infrastructure: the host retries it, or lets the run die for another owner to take over.
 */
export interface Host {
  begin(run: LoopRun): Promise<Done>;
  settle(run: LoopRun): Promise<SettleResult>;
  think(run: LoopRun): Promise<ThinkResult>;
  /** All of them, in parallel, as one call; returns when none runs any more. */
  dispatch(run: LoopRun, calls: readonly PlanEntry[]): Promise<Done>;
  /** Asked between dispatch and settle: should this owner give the run back? */
  shouldYield(run: LoopRun): Promise<boolean>;
  handover(run: LoopRun): Promise<Done>;
  end(run: LoopRun): Promise<RunOutcome>;
}
