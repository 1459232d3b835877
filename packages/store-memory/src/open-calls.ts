import type { OpenCallRow } from '@helix-agents/core';
import type { AnswerCall, AnswerCallResult, SessionRef } from '@helix-agents/core/store';
import { frozenCopy } from '@helix-agents/core/store';
import type { MemoryDatabase } from './memory-database.ts';
import { findCall, putCall } from './memory-database.ts';

export function answerCall(database: MemoryDatabase, input: AnswerCall): AnswerCallResult {
  const row = findCall(database, input.key);
  if (!row) return { found: false };
  if (row.state !== 'open' || !isWanted(row, input.only)) return { found: true, taken: false, row };
  if (isOverdue(row, input.now)) {
    return { found: true, taken: false, row: expire(database, row, input.now) };
  }
  const answered: OpenCallRow = Object.freeze({
    ...row,
    state: 'answered',
    outcome: input.outcome,
    answer: frozenCopy(input.answer),
    answeredBy: input.answeredBy,
    answeredAt: input.now,
    submissionId: input.submissionId ?? null,
  });
  putCall(database, answered);
  return { found: true, taken: true, row: answered };
}

function isWanted(row: OpenCallRow, only: AnswerCall['only']): boolean {
  if (only === undefined) return true;
  const { kind, approvalId = row.approvalId } = only;
  return row.kind === kind && row.approvalId === approvalId;
}

export function expireCalls(database: MemoryDatabase, top: SessionRef, now: number): OpenCallRow[] {
  return liveCallsOf(database, top)
    .filter((row) => isOverdue(row, now))
    .map((row) => expire(database, row, now));
}

export function takeReminders(
  database: MemoryDatabase,
  top: SessionRef,
  now: number,
): OpenCallRow[] {
  const taken = liveCallsOf(database, top)
    .filter((row) => isRemindable(row, now))
    .map((row): OpenCallRow => Object.freeze({ ...row, remindAt: null }));
  for (const row of taken) putCall(database, row);
  return taken;
}

export function purgeCalls(database: MemoryDatabase, top: SessionRef, now: number): number {
  const settled = database.calls.get(top.rootId)?.settled;
  let purged = 0;
  for (const [key, row] of settled ?? []) {
    if (row.unitId !== top.sessionId || !isPurgeable(row, now)) continue;
    settled?.delete(key);
    purged += 1;
  }
  return purged;
}

function liveCallsOf(database: MemoryDatabase, { rootId, sessionId }: SessionRef): OpenCallRow[] {
  const live = database.calls.get(rootId)?.live.values() ?? [];
  return [...live].filter(({ unitId }) => unitId === sessionId);
}

export function isOverdue(row: OpenCallRow, now: number): boolean {
  return row.state === 'open' && row.deadlineAt !== null && row.deadlineAt <= now;
}

export function isRemindable(row: OpenCallRow, now: number): boolean {
  return row.state === 'open' && row.remindAt !== null && row.remindAt <= now;
}

export function isPurgeable(row: OpenCallRow, now: number): boolean {
  return row.state === 'settled' && row.purgeAt !== null && row.purgeAt <= now;
}

function expire(database: MemoryDatabase, row: OpenCallRow, now: number): OpenCallRow {
  const expired: OpenCallRow = Object.freeze({
    ...row,
    state: 'answered',
    outcome: 'expired',
    answer: Object.freeze({ kind: 'none' }),
    answeredBy: null,
    answeredAt: now,
  });
  putCall(database, expired);
  return expired;
}
