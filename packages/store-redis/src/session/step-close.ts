import type {
  CheckpointRow,
  CommitPlan,
  MessageRow,
  SessionGuard,
  SessionUpdate,
  UsageRow,
} from '@helix-agents/core';
import { isIndexed } from './plan-writes.ts';

type Columns = NonNullable<SessionUpdate['set']>;

/** The close of a step that goes on: what lua/commit-step.ts writes. */
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
  if (!own || !session?.set || !checkpoint || !hasRoomFor(plan, session.sessionId)) return null;
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

/** How many rows of a kind the script takes; none of any other kind, also of one that is still to come. */
type Room = Readonly<Record<string, number>>;

const ROOM_OF_GUARD: Room = { sessions: 1, interruptsAbsent: 1 };
const ROOM_OF_INSERTS: Room = { messages: 1000, checkpoints: 1, usage: 1000 };
const ROOM_OF_UPDATES: Room = {};
const ROOM_OF_REMOVALS: Room = { journal: 1 };

function hasRoomFor(plan: CommitPlan, sessionId: string): boolean {
  const { guard, sessions = [], insert = {}, update = {}, remove = {} } = plan;
  return (
    sessions.length === 1 &&
    fits(guard, ROOM_OF_GUARD, sessionId) &&
    fits(insert, ROOM_OF_INSERTS, sessionId) &&
    fits(update, ROOM_OF_UPDATES, sessionId) &&
    fits(remove, ROOM_OF_REMOVALS, sessionId)
  );
}

/** Every list has room, and its rows are of this session. */
function fits(lists: object, room: Room, sessionId: string): boolean {
  for (const [name, rows] of Object.entries(lists) as [string, readonly Row[] | undefined][]) {
    if (rows === undefined || rows.length === 0) continue;
    if (rows.length > (room[name] ?? 0)) return false;
    for (const row of rows) if (row.sessionId !== sessionId) return false;
  }
  return true;
}

interface Row {
  readonly sessionId?: string;
}

/** Every counter is named, and nothing is set that an index looks at or that becomes null. */
function isOwners(own: SessionGuard, { set = {}, raise }: SessionUpdate): boolean {
  const { version, epoch, stepId, records, status = [], absent, leaseExpired } = own;
  if (absent || leaseExpired || status.length !== 1 || status[0] !== 'running') return false;
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
