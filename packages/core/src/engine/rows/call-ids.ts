import { MAX_ID_LENGTH } from '../../define/submit-schema.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { SessionTranscript } from '../memory/transcript-cache.ts';
import { isRoot } from '../../store/session-place.ts';

/**
 * Internal ids of the calls of one answer, unique in the root's tree and known before their input streams.
 * A root keeps the provider's id if no call of its session has it; the id of a child's call always contains a mark of its session.
 */
export async function callIdsFor(
  session: SessionRow,
  { callIds, answers }: Pick<SessionTranscript, 'callIds' | 'answers'>,
): Promise<(providerId: string, index: number) => string> {
  const mark = isRoot(session) ? '' : `${await sessionMark(session.sessionId)}.`;
  // Steps that left no message (time travel) may have used the id too: their calls are still known at the root.
  const mayKeep = isRoot(session) && answers === session.stepId - 1;
  // By index. A different provider id at the same index comes from a new attempt and replaces that of the failed one.
  const given: { readonly providerId: string; readonly id: string }[] = [];
  const isUsed = (id: string, index: number): boolean =>
    callIds.has(id) || given.some((other, at) => at !== index && other.id === id);
  return (providerId, index) => {
    const known = given[index];
    if (known?.providerId === providerId) return known.id;
    const keeps = mayKeep && isPlain(providerId) && !isUsed(providerId, index);
    let id = keeps ? providerId : `${plainPart(providerId)}~${mark}${session.stepId}.${index}`;
    while (isUsed(id, index)) id += '~';
    given[index] = { providerId, id };
    return id;
  };
}

/** Whether a submission could carry this id; otherwise it is not kept. */
function isPlain(id: string): boolean {
  return id !== '' && id.length <= MAX_ID_LENGTH && plainPart(id, MAX_ID_LENGTH) === id;
}

/** The part of a provider's id that can be used in one of ours. */
function plainPart(providerId: string, length: number = MAX_ID_LENGTH - ROOM): string {
  const plain = providerId.slice(0, length).replace(/[\p{Cc}\p{Cs}]/gu, '');
  return plain === '' ? 'call' : plain;
}

/** Characters reserved for the suffix. */
const ROOM = 56;
const MARK_DIGITS = 16;

/** Distinguishes the calls of a session from those of the other sessions in its tree. */
async function sessionMark(sessionId: string): Promise<string> {
  return (await sha256(sessionId)).slice(0, MARK_DIGITS);
}

/** SHA-256 of a call's input as it was proposed. */
export function inputHash(input: unknown): Promise<string> {
  return sha256(JSON.stringify(input ?? null));
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
