import type { CommitPlan } from '@helix-agents/core/store';
import { encodeId } from '../keys.ts';
import {
  checkNumbers,
  checkRowKeys,
  checkRows,
  checkSessions,
  checkStepKeys,
} from './plan-checks.ts';
import { bySession, type Words } from './plan-words.ts';
import { writeRemovals, writeRows, writeSession, writeSteps, writeUpdates } from './plan-writes.ts';

/**
 * Adds the arguments of the commit script: the session that stores the id of the request, checks, an empty word, writes.
 */
export function renderPlan(args: (string | number)[], plan: CommitPlan): void {
  const { guard, sessions = [], insert, update, remove } = plan;
  // A plan updates or inserts at least one session.
  const keeper = (sessions[0] ?? insert?.sessions?.[0])?.sessionId ?? plan.rootId;
  args.push(encodeId(keeper));
  const out: Words = { args, session: keeper };
  const messages = bySession(insert?.messages ?? []);
  checkSessions(out, guard, sessions);
  checkRows(out, guard);
  if (insert) {
    checkNumbers(out, messages, insert.checkpoints, remove);
    checkStepKeys(out, insert);
    checkRowKeys(out, insert);
  }
  args.push('');
  if (remove) writeRemovals(out, remove);
  if (insert) {
    writeSteps(out, insert, messages, keeper);
    writeRows(out, insert);
  }
  if (update) writeUpdates(out, update);
  for (const session of sessions) writeSession(out, session, session.sessionId === keeper);
}
