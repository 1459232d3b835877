import type { CommitPlan, JournalRow, SessionGuard, UsageRow } from '@helix-agents/core';
import { isRunning, isWithin, type PlanRoom } from './plan-room.ts';

/** A record of a step: what `recordScript` writes. */
export interface StepRecord {
  readonly sessionId: string;
  readonly own: SessionGuard;
  readonly row: JournalRow;
  readonly usage: readonly UsageRow[];
}

const ROOM: PlanRoom = {
  guard: { sessions: 1 },
  insert: { journal: 1, usage: 1000 },
  update: {},
  remove: {},
};

/** The parts of a plan that records one row of the journal under epoch and step, with its usage; null for any other. */
export function stepRecordOf(plan: CommitPlan): StepRecord | null {
  const { guard, sessions: [session] = [], insert = {} } = plan;
  const { journal: [row] = [], usage = [] } = insert;
  const own = guard.sessions?.[0];
  if (!own || !session || !row || !isWithin(plan, ROOM)) return null;
  const { sessionId, set, raise = {} } = session;
  if (!namesEpochAndStep(own) || set || raise.version || !raise.records) return null;
  return { sessionId, own, row, usage };
}

function namesEpochAndStep(own: SessionGuard): boolean {
  const { version, epoch, stepId, records } = own;
  if (version !== undefined || records !== undefined) return false;
  return epoch !== undefined && stepId !== undefined && isRunning(own);
}
