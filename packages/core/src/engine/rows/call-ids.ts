import { MAX_ID_LENGTH } from '../../define/submit-schema.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { SessionTranscript } from '../memory/transcript-cache.ts';
import { isRoot } from '../../store/session-place.ts';

/**
 * Internal ids of the calls of one answer, unique in the root's tree and known before their input streams.
 * A root keeps the provider's id while it is new in its session; a child's always carries its session.
 */
export function callIdsFor(
  session: SessionRow,
  { callIds, answers }: Pick<SessionTranscript, 'callIds' | 'answers'>,
): (providerId: string, index: number) => string {
  // Steps that left no message (time travel) may have used the id too: their calls are still known at the root.
  const mayKeep = isRoot(session) && answers === session.stepId - 1;
  // By index. Another id at the same index is of an attempt that failed: nothing of it may stay.
  const given: { readonly providerId: string; readonly id: string }[] = [];
  const isUsed = (id: string, index: number): boolean =>
    callIds.has(id) || given.some((other, at) => at !== index && other.id === id);
  return (providerId, index) => {
    const known = given[index];
    if (known?.providerId === providerId) return known.id;
    const keeps = mayKeep && isPlain(providerId) && !isUsed(providerId, index);
    const id = keeps ? providerId : ownId(session, plainPart(providerId), index);
    given[index] = { providerId, id };
    return id;
  };
}

/** A submission names the id of its call: an id that none could name is not kept. */
function isPlain(id: string): boolean {
  return id !== '' && id.length <= MAX_ID_LENGTH && plainPart(id, MAX_ID_LENGTH) === id;
}

/** The part of a provider's id that can be used in one of ours. */
function plainPart(providerId: string, length: number = MAX_ID_LENGTH - ROOM): string {
  const plain = providerId.slice(0, length).replace(/[\p{Cc}\p{Cs}]/gu, '');
  return plain === '' ? 'call' : plain;
}

/** Room for what `ownId` adds. */
const ROOM = 56;

function ownId(session: SessionRow, base: string, index: number): string {
  const place = `${session.stepId}.${index}`;
  return isRoot(session) ? `${base}~${place}` : `${base}~${hash8(session.sessionId)}.${place}`;
}

/** Eight hex digits of a string (FNV-1a): a name, not a secret. */
export function hash8(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** SHA-256 of a call's input as it was proposed. */
export async function inputHash(input: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(input ?? null));
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
