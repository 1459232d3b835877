/**
 * What the loop and its host say to each other: ids, enums and counters, and the short text of an error; never text of a
 * conversation, input, output or state. Engines persist these values and cap their size.
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
  readonly isTakeover?: true;
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
  readonly code: 'stale';
}

export type Done = { readonly ok: true } | Refusal;
export type ThinkResult = { readonly ok: true; readonly calls: readonly PlanEntry[] } | Refusal;
export type SettleResult =
  | { readonly ok: true; readonly next: 'think' }
  | { readonly ok: true; readonly next: 'end' }
  | { readonly ok: true; readonly next: 'dispatch'; readonly calls: readonly PlanEntry[] }
  | Refusal;

/** What the loop does next with the child of a call. */
export type StartedChild =
  /** Drive this run of the child, then collect. `usedMs`: time its earlier runs took, without waiting for people. */
  | { readonly ok: true; readonly kind: 'run'; readonly run: LoopRun; readonly usedMs: number }
  /** It has a live owner elsewhere: ask again later. */
  | { readonly ok: true; readonly kind: 'wait' }
  /** Nothing to drive: collect what it has. */
  | { readonly ok: true; readonly kind: 'collect' }
  | Refusal;

/** How the host's attempt to drive a child's run came out. What became of the child is in the store. */
export type ChildEnd =
  | { readonly kind: 'ended' }
  /** The host drives that run already, in another place. */
  | { readonly kind: 'elsewhere' }
  /** It could not be started, or stopped without writing its own end. */
  | { readonly kind: 'died'; readonly detail: string };

export type GiveUpReason = 'timeout' | 'error' | 'dispatch_failed';

export interface RunFailure {
  readonly code: string;
  readonly message: string;
}

export type LoopOutcomeStatus =
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

export interface LoopOutcome {
  readonly status: LoopOutcomeStatus;
}

/** A timer that the loop started. */
export interface LoopTimer {
  /** Resolves to true when the time has passed, to false when it was cancelled. Never rejects. */
  readonly fired: Promise<boolean>;
  cancel(): void;
}

/**
 * The operations of the engine as a host offers them to the loop: direct calls, activities, steps. Each is idempotent. A
 * throw means infrastructure: the host has retried it as often as it does, and the loop decides what follows.
 */
export interface LoopOperations {
  begin(run: LoopRun): Promise<Done>;
  settle(run: LoopRun): Promise<SettleResult>;
  think(run: LoopRun): Promise<ThinkResult>;
  tool(run: LoopRun, call: PlanEntry): Promise<Done>;
  /** Starts the child of a call, or takes it up again with the answers that are here. */
  startChild(run: LoopRun, index: number): Promise<StartedChild>;
  /** Brings up what the child has for its parent: calls it opened, its end. */
  collectChild(run: LoopRun, index: number): Promise<Done>;
  /** Ends the child from above and records an error for its call, unless a person who is asked keeps it. */
  giveUpChild(run: LoopRun, index: number, reason: GiveUpReason, detail?: string): Promise<Done>;
  fail(run: LoopRun, failure: RunFailure): Promise<void>;
  handover(run: LoopRun): Promise<Done>;
  end(run: LoopRun): Promise<LoopOutcome>;
}

/** What a runtime gives the loop: the operations, and what depends on where runs live and how time passes there. */
export interface Host extends LoopOperations {
  /** Drives one run of the child to its end, by `runSession` again; a stop of the parent reaches the child meanwhile. */
  runChild(run: LoopRun, index: number, child: LoopRun): Promise<ChildEnd>;
  /** A while, before the loop asks again for a child that has a live owner elsewhere. */
  pause(run: LoopRun): Promise<void>;
  /** Synchronous, and so is `cancel`: an engine sees timers in the order in which the loop asks for them. */
  startTimer(ms: number): LoopTimer;
  /** Asked between dispatch and settle: should this owner give the run back? */
  shouldYield(run: LoopRun): Promise<boolean>;
  /** What an operation threw, in a few words. */
  describe(error: unknown): RunFailure;
  /** Logs what the loop goes on without. */
  warn(event: string, run: LoopRun, error: string): void;
}
