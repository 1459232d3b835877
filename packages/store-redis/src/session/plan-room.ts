import type { CommitPlan, SessionGuard } from '@helix-agents/core';

/** How many rows of a kind a script of its own takes; none of any other kind, also of one that is still to come. */
export interface PlanRoom {
  readonly guard: Room;
  readonly insert: Room;
  readonly update: Room;
  readonly remove: Room;
}

type Room = Readonly<Record<string, number>>;

/** The plan updates one session, all its rows are of that one, there is room for them, and it says nothing. */
export function isWithin(plan: CommitPlan, room: PlanRoom): boolean {
  const { guard, sessions = [], insert = {}, update = {}, remove = {} } = plan;
  const [session] = sessions;
  if (!session || sessions.length > 1 || plan.stream) return false;
  const { sessionId } = session;
  return (
    fits(guard, room.guard, sessionId) &&
    fits(insert, room.insert, sessionId) &&
    fits(update, room.update, sessionId) &&
    fits(remove, room.remove, sessionId)
  );
}

function fits(lists: object, room: Room, sessionId: string): boolean {
  for (const name of Object.keys(lists)) {
    const rows = (lists as Readonly<Record<string, readonly Row[] | undefined>>)[name];
    if (rows === undefined || rows.length === 0) continue;
    if (rows.length > (room[name] ?? 0)) return false;
    for (const row of rows) if (row.sessionId !== sessionId) return false;
  }
  return true;
}

interface Row {
  readonly sessionId?: string;
}

/** It only has to run; whose lease it is does not matter. */
export function isRunning({ status = [], absent, leaseExpired }: SessionGuard): boolean {
  return !absent && !leaseExpired && status.length === 1 && status[0] === 'running';
}
