import type { AgentConfig, Durability } from '../define/types.ts';
import type { AgentNotFoundError } from '../errors/setup-errors.ts';
import type { AgentHooks } from '../define/hooks.ts';
import type { LLMAdapter } from '../llm/adapter.ts';
import type { Logger } from '../logger.ts';
import type { SessionRef, SessionRow } from '../store/rows.ts';
import type { LoopRun } from '../loop/host.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { DescribeError } from './rows/answer-result.ts';
import type { Announcer } from './announce/announcer.ts';
import type { Clock } from './clock.ts';
import type { StepMemory } from './memory/step-memory.ts';
import type { TranscriptCache } from './memory/transcript-cache.ts';

/** Which store a session lives in. Two sessions share a store exactly when this returns the same object. */
export interface Databases {
  of(ref: SessionRef): SessionStore;
}

/** Who claims: written into the session row by every claim. */
export interface OwnerIdentity {
  readonly hostKind: string;
  /** This process, for leases. */
  readonly owner: string;
  /** Null on hosts whose engine keeps its own runs alive. */
  readonly leaseMs: number | null;
}

export interface EngineLimits {
  /** A larger tool result becomes a `tool_result_too_large` error. */
  readonly maxToolResultBytes: number;
  /** A larger event of `emit` is refused, a larger usage entry of `recordUsage` is dropped. */
  readonly maxEventBytes: number;
  /** How long an approval predicate may think before approval is required. */
  readonly approvalPredicateMs: number;
  /** Takeovers of one run before it fails as `run_recovery_exhausted`. */
  readonly maxRecoveries: number;
  /** How long a schema may check a state or a submitted value; the schemas of a tool have its `timeoutMs`. */
  readonly schemaTimeoutMs: number;
  /** How long a hook may take before the engine goes on without it. */
  readonly hookTimeoutMs: number;
  /** How long each function of a capability may take, unless it says so itself. */
  readonly capabilityTimeoutMs: number;
  /** How often a running owner looks for interrupts and lost ownership. */
  readonly pollMs: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  maxToolResultBytes: 1_000_000,
  maxEventBytes: 1_000_000,
  approvalPredicateMs: 5_000,
  maxRecoveries: 10,
  schemaTimeoutMs: 10_000,
  hookTimeoutMs: 10_000,
  capabilityTimeoutMs: 5_000,
  pollMs: 500,
};

/** A session whose agent is looked for. */
export type SessionOfAgent = Pick<
  SessionRow,
  'rootId' | 'sessionId' | 'agentType' | 'runId' | 'userId'
>;

/** What the run of a root was begun with. */
export interface RunAgent {
  readonly agent: AgentConfig;
  /** Handed in for this session; else it was found. */
  readonly isGiven: boolean;
  readonly durability?: Durability | undefined;
  readonly hooks?: readonly AgentHooks[];
}

/** Which agent a session runs with. */
export interface SessionAgents {
  /** Undefined when this process has no such agent. */
  find(session: SessionOfAgent): AgentConfig | undefined;
  /** Why `find` found none. */
  missing(session: SessionOfAgent): AgentNotFoundError;
  /** What a root runs with, from its claim until that run ends in this process. */
  bindRun(owner: LoopRun, run: RunAgent): void;
  /** That owner of a root has come to its end here. A later one may have begun. */
  forget(run: LoopRun): void;
  /** Whether sub-agents of that root are looked for in what it runs with. */
  knowsRoot(rootId: string): boolean;
  /** Makes them so until the returned function is called. */
  pin(root: SessionOfAgent): () => void;
  /** False: no agent that this process can find has a tool that checks results. */
  mayCheckResults(): boolean;
}

/** All that operations need. Time, ids and chance are in here and nowhere else in the engine. */
export interface EngineContext {
  readonly databases: Databases;
  /** The root of a session that is known by its id alone: `SessionIndex.findRoot`. */
  findRoot(sessionId: string): Promise<string | null>;
  readonly announcer: Announcer;
  readonly model: LLMAdapter;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly identity: OwnerIdentity;
  readonly logger: Logger;
  readonly limits: EngineLimits;
  /** Texts for calls that end without a result of their own. */
  readonly describeError: DescribeError;
  readonly transcripts: TranscriptCache;
  /** Present where operations share memory: lets `durability: 'step'` skip the journal. */
  readonly memory: StepMemory | null;
  /** Whether this process drives that run of that session right now. */
  isDriving(sessionId: string, epoch: number): boolean;
  /** Hooks of a session in firing order: executor, agent, call. */
  hooksFor(session: SessionRow): readonly AgentHooks[];
  readonly agents: SessionAgents;
}

/** What stops an operation from outside: an interrupt, lost ownership, a shutdown. */
export type StopReason = 'interrupted' | 'lost' | 'shutdown' | 'timeout';

export interface OperationScope {
  readonly signal: AbortSignal;
  /** Why the signal aborted, where the host knows it. */
  readonly stopReason?: () => StopReason | null;
  /** Whether this owner may still stream: true while its lease is fresh by its own clock, else the store is asked. */
  readonly mayStream?: () => Promise<boolean>;
  /** Attempt number of this operation where the host knows it; 1 at first. */
  readonly attempt?: number;
}
