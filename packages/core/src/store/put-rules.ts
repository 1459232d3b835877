import {
  MAX_WAITING_MESSAGES,
  type NoticeRefusal,
  type PutInput,
  type PutNotice,
  type PutRefusal,
} from './input-rows.ts';
import type { ChildReferenceRow, RunStatus, SessionRow } from './rows.ts';

type Receiver = Pick<SessionRow, 'closed' | 'status' | 'userId'>;

/** Statuses in which a session takes messages of its parent's calls. A person's it takes only while it runs. */
export const RECEIVING: readonly RunStatus[] = [
  'running',
  'suspended_client_tool',
  'suspended_awaiting_children',
  'suspended_step_partial',
  'interrupted',
  'completed',
];

/** Why a message is not put; null if it may be. For stores, which look for a row with its id first. */
export function refusePut(
  receiver: Receiver | null,
  { person }: Pick<PutInput, 'person'>,
  found: { readonly waitingMessages: number; readonly isInTranscript: boolean },
): PutRefusal | null {
  if (!receiver) return 'no_session';
  if (receiver.closed) return 'closed';
  const statuses: readonly RunStatus[] = person ? ['running'] : RECEIVING;
  if (!statuses.includes(receiver.status)) return 'status';
  if (person?.userId !== undefined && person.userId !== receiver.userId) return 'other_user';
  if (person && found.isInTranscript) return 'in_transcript';
  return found.waitingMessages < MAX_WAITING_MESSAGES ? null : 'full';
}

export function refuseNotice(
  parent: Receiver | null,
  reference: Pick<ChildReferenceRow, 'state' | 'told'> | null,
  { end }: Pick<PutNotice, 'end'>,
): NoticeRefusal | null {
  if (!parent) return 'no_session';
  if (reference?.state !== 'live') return 'not_live';
  return reference.told < end ? null : 'told';
}

/** Whether an input sets the wake mark of its receiver. A message wakes one that is idle, a notice also one that waits for it. */
export function marksWake(status: RunStatus, kind: 'message' | 'notice', wake: boolean): boolean {
  if (status === 'completed') return wake;
  return kind === 'notice' && status.startsWith('suspended_');
}
