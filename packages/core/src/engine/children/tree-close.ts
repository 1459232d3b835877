import type {
  CallUpdate,
  CommitPlan,
  ReferenceUpdate,
  RunUpdate,
  SessionGuard,
  SessionUpdate,
} from '../../store/commit-plan.ts';
import type { CallKey, JournalRow, MessageRow, UsageRow } from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import type { EngineContext } from '../context.ts';
import type { StepTree } from '../rows/child-view.ts';

/** The parts of one batch that closes a session's step and its whole subtree in the same store. */
export interface TreeClose {
  readonly guards: SessionGuard[];
  readonly callsOpen: CallKey[];
  readonly sessions: SessionUpdate[];
  readonly messages: MessageRow[];
  readonly calls: CallUpdate[];
  readonly references: ReferenceUpdate[];
  readonly journal: { sessionId: string; stepId: number }[];
  /** What tells later readers that a step was withdrawn. */
  readonly left: JournalRow[];
  readonly interrupts: { sessionId: string; runId: string }[];
  readonly runs: RunUpdate[];
  readonly usage: UsageRow[];
  /** The sessions that it closes, as they were before. */
  readonly closed: StepTree[];
  /** Chunks that are true after the commit. */
  readonly ends: StreamEntry[];
}

export function nothingToClose(): TreeClose {
  return {
    guards: [],
    callsOpen: [],
    sessions: [],
    messages: [],
    calls: [],
    references: [],
    journal: [],
    left: [],
    interrupts: [],
    runs: [],
    usage: [],
    closed: [],
    ends: [],
  };
}

/** What a close writes. */
export type CloseWrites = Pick<CommitPlan, 'guard' | 'sessions' | 'insert' | 'update' | 'remove'>;

export function closeWrites(parts: TreeClose): CloseWrites {
  return {
    guard: { sessions: parts.guards, callsOpen: parts.callsOpen },
    sessions: parts.sessions,
    insert: { messages: parts.messages, journal: parts.left, usage: parts.usage },
    update: { calls: parts.calls, references: parts.references, runs: parts.runs },
    remove: { journal: parts.journal, interrupts: parts.interrupts },
  };
}

/** A close as a commit of its own. */
export function closePlan(
  ctx: EngineContext,
  rootId: string,
  commitId: string,
  parts: TreeClose,
): CommitPlan {
  return { kind: 'abandon', rootId, commitId, now: ctx.clock.now(), ...closeWrites(parts) };
}
