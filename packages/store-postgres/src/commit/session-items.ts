import type { SessionRow } from '@helix-agents/core';
import type { CommitPlan, SessionUpdate } from '@helix-agents/core/store';
import { encodeFields, tables } from '@helix-agents/store-sql';
import { typesOf, type Type, type UpdateItem } from './params.ts';
import { assignments } from './row-writes.ts';

/** What to set in a session's row, with times relative to `origin`. If the plan removes an interrupt, the row's mark of it is cleared too. */
export function sessionItem(
  { sessionId, set, raise }: SessionUpdate,
  { remove }: CommitPlan,
  origin: number,
): UpdateItem {
  const answered = remove?.interrupts?.find((interrupt) => interrupt.sessionId === sessionId);
  return {
    session_id: sessionId,
    ...encodeFields<SessionRow>(tables.sessions, set ?? {}, origin),
    ...(raise?.version && { raise_version: 1 }),
    ...(raise?.records && { raise_records: 1 }),
    ...(answered && { answered_interrupt: answered.runId }),
  };
}

export const sessionType: (name: string) => Type = typesOf(tables.sessions);
export const setSession: ReturnType<typeof assignments> = assignments(['session_id']);
