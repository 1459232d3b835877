import type {
  CheckpointRow,
  CommitPlan,
  MessageRow,
  SessionGuard,
  SessionUpdate,
  UsageRow,
} from '@helix-agents/core';
import { isRunning, isWithin, type PlanRoom } from './plan-room.ts';
import { isIndexed } from './plan-writes.ts';

type Columns = NonNullable<SessionUpdate['set']>;

/** The close of a step that goes on: what `closeStepScript` writes. */
export interface StepClose {
  readonly sessionId: string;
  readonly own: SessionGuard;
  readonly set: Columns;
  readonly checkpoint: CheckpointRow;
  readonly messages: readonly MessageRow[];
  readonly usage: readonly UsageRow[];
}

/**
 * The parts of a plan that closes a step and goes on, null for any other. It is one when it is about one session, which runs and
 * whose counters it names; adds messages, one checkpoint and usage; and sets columns that no index looks at.
 */
export function stepCloseOf(plan: CommitPlan): StepClose | null {
  const { guard, sessions: [session] = [], insert = {}, now } = plan;
  const { messages = [], checkpoints: [checkpoint] = [], usage = [] } = insert;
  const own = guard.sessions?.[0];
  if (!own || !session?.set || !checkpoint || !isWithin(plan, ROOM)) return null;
  const close = {
    sessionId: session.sessionId,
    own,
    set: session.set,
    checkpoint,
    messages,
    usage,
  };
  return isOwners(own, session) && isNext(close, now) ? close : null;
}

const ROOM: PlanRoom = {
  guard: { sessions: 1, interruptsAbsent: 1 },
  insert: { messages: 1000, checkpoints: 1, usage: 1000 },
  update: {},
  remove: { journal: 1 },
};

/** Every counter is named, and nothing is set that an index looks at or that becomes null. */
function isOwners(own: SessionGuard, { set = {}, raise }: SessionUpdate): boolean {
  const { version, epoch, stepId, records } = own;
  if (!isRunning(own)) return false;
  if ([version, epoch, stepId, records].includes(undefined)) return false;
  if (!raise?.version || raise.records || isIndexed(set)) return false;
  return !Object.values(set).includes(null);
}

/** What it adds follows on what the session has, and is of the moment of the commit. */
function isNext({ own, set, checkpoint, messages }: StepClose, now: number): boolean {
  const { lastCommit, stepId, stepCount, messageCount } = set;
  if ([lastCommit, stepId, stepCount, messageCount].includes(undefined)) return false;
  if (checkpoint.version !== (own.version ?? 0) + 1 || checkpoint.timestamp !== now) return false;
  const before = (messageCount ?? 0) - messages.length;
  return (
    messages.length > 0 &&
    messages.every((row, place) => row.sequence === before + place + 1 && row.createdAt === now)
  );
}
