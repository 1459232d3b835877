// What the scenarios about companions and inputs share.
import type { SessionRow } from '@helix-agents/core';
import {
  companionPlace,
  inputIdOfCall,
  inputIdOfNotice,
  type PutInput,
  type PutNotice,
} from '@helix-agents/core/store';
import { refOf, sessionRow, T0 } from './rows.ts';

/** A companion of the root `s1`. */
export function companionRow(given: Partial<SessionRow> = {}): SessionRow {
  const sessionId = given.sessionId ?? 's1-agent-ann';
  const place = companionPlace(sessionRow(), sessionId);
  return sessionRow({ ...place, streamId: sessionId, reported: 0, ...given });
}

/** A message that the call with this index sends. */
export function messageTo(
  receiver: SessionRow,
  index = 0,
  given: Partial<PutInput> = {},
): PutInput {
  const inputId = inputIdOfCall({ sessionId: 's1', stepId: 1, index });
  const content = `message ${index}`;
  return { ...refOf(receiver), inputId, sender: 's1', content, now: T0, ...given };
}

/** The notice that `s1-agent-ann` has ended for the nth time. */
export function noticeTo(parent: SessionRow, end = 1, given: Partial<PutNotice> = {}): PutNotice {
  const childId = 's1-agent-ann';
  const inputId = inputIdOfNotice(childId, end);
  const content = { status: 'completed', output: end };
  return { ...refOf(parent), inputId, childId, end, content, now: T0, ...given };
}
