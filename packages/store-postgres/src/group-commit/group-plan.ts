import type { SessionRow } from '@helix-agents/core';
import type { CommitInserts, CommitKind, CommitPlan } from '@helix-agents/core/store';
import { sessionGuards } from '@helix-agents/store-sql';
import { needsFreshSnapshot } from '../commit/render-statement.ts';

/** The commits of running sessions, which are nearly all. The others are rare, or about calls or several sessions. */
const CAN_SHARE: Readonly<Record<CommitKind, boolean>> = {
  create: true,
  claim: true,
  record: true,
  step: true,
  suspend: true,
  end: true,
  lease: false,
  answer: false,
  abandon: false,
  edit: false,
};

/**
 * What a plan that can share a statement is about (I2): a session that it creates, or one that it updates. Null for a plan that
 * has to leave alone: of a rare kind, about several sessions, about calls or references, or about rows that cannot be locked.
 */
export type GroupSubject = { readonly created: SessionRow } | { readonly updated: string } | null;

export function groupSubject(plan: CommitPlan): GroupSubject {
  if (!CAN_SHARE[plan.kind]) return null;
  const created = createdSession(plan);
  if (created) return { created };
  const updated = updatedSession(plan);
  return updated === null ? null : { updated };
}

type Rows = readonly unknown[] | undefined;

/** The session that a plan creates, if its absence is all that the plan asks for and the plan is about no other. */
function createdSession(plan: CommitPlan): SessionRow | null {
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

/** The one session that a plan updates, if it is about nothing else and depends on no row that cannot be locked. */
function updatedSession(plan: CommitPlan): string | null {
  const { guard, insert = {}, update = {} } = plan;
  const [asked, ...others] = sessionGuards(plan);
  const [updated, ...more] = plan.sessions ?? [];
  if (!asked || !updated || asked.absent || !areEmpty(others, more)) return null;
  const ofOthers = [
    [guard.callsOpen, guard.calls, guard.references, guard.interruptsAbsent?.slice(1)],
    [insert.sessions, insert.calls, insert.references],
    [update.calls, update.references, update.inputs],
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

/** Every inserted row that belongs to a session belongs to this one. */
function isAllOf(sessionId: string, insert: CommitInserts): boolean {
  const { messages = [], journal = [], checkpoints = [], runs = [], usage = [] } = insert;
  return [messages, journal, checkpoints, runs, usage].every((rows) =>
    rows.every((row) => row.sessionId === sessionId),
  );
}
