import type { SessionRow } from '@helix-agents/core';
import type { CommitInserts, CommitPlan } from '@helix-agents/core/store';
import { sessionGuards } from './guard.ts';
import { needsFreshSnapshot } from './render-statement.ts';

type Rows = readonly unknown[] | undefined;

/** The session that a plan creates, if that it is absent is all it asks, and it is about no other. */
export function createdSession(plan: CommitPlan): SessionRow | null {
  const { guard, insert = {}, update = {}, remove = {} } = plan;
  const { sessions: guards = [], ...asked } = guard;
  const [absent, ...others] = guards;
  const [created, ...more] = insert.sessions ?? [];
  if (!absent?.absent || absent.sessionId !== created?.sessionId) return null;
  const ofOthers = [others, more, plan.sessions, insert.calls, insert.references];
  const changes: readonly Rows[] = [asked, update, remove].flatMap((lists) => Object.values(lists));
  const isAlone = areEmpty(...ofOthers, ...changes) && isAllOf(created.sessionId, insert);
  return isAlone ? created : null;
}

/** The one session that a plan is about, if it is about nothing else and waits for no row that cannot be locked. */
export function updatedSession(plan: CommitPlan): string | null {
  const { guard, insert = {}, update = {} } = plan;
  const [asked, ...others] = sessionGuards(plan);
  const [updated, ...more] = plan.sessions ?? [];
  if (!asked || !updated || asked.absent || !areEmpty(others, more)) return null;
  const ofOthers = [
    [guard.callsOpen, guard.calls, guard.references, guard.interruptsAbsent?.slice(1)],
    [insert.sessions, insert.calls, insert.references],
    [update.calls, update.references],
  ];
  if (!areEmpty(...ofOthers.flat())) return null;
  const { sessionId } = asked;
  const isOwn = guard.interruptsAbsent?.every((one) => one.sessionId === sessionId) ?? true;
  const isAlone = isOwn && isAllOf(sessionId, insert) && !needsFreshSnapshot(plan, sessionId);
  return isAlone ? sessionId : null;
}

function areEmpty(...lists: readonly Rows[]): boolean {
  return lists.every((rows) => rows === undefined || rows.length === 0);
}

/** Every row of the tables that sessions have for themselves is that of this session. */
function isAllOf(sessionId: string, insert: CommitInserts): boolean {
  const { messages = [], journal = [], checkpoints = [], runs = [], usage = [] } = insert;
  return [messages, journal, checkpoints, runs, usage].every((rows) =>
    rows.every((row) => row.sessionId === sessionId),
  );
}
