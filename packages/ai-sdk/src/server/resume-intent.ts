import { InvalidRequestError } from '@helix-agents/core';
import { EXISTING_MESSAGE_ID, LAST_EVENT_ID, RESUME_FROM_SEQUENCE } from '../ui/headers.ts';
import type { ChatPosition } from './chat-events.ts';

/** Where a client says it is. */
export interface ResumeIntent {
  /** It has everything up to this chunk of the session's stream. */
  readonly resumeFromSequence?: number;
  /** The assistant message it shows. */
  readonly existingMessageId?: string;
  /** The place of the last event an open reader was sent: only what follows is wanted. */
  readonly position?: ChatPosition;
  readonly source: 'header' | 'cookie' | 'none';
}

const COOKIE = 'helix-resume';
const COOKIE_MAX_AGE_SECONDS = 86_400;

/** Reads the headers, and the cookie of this session where there are none. A cursor that is no number is refused. */
export function extractResumeIntent(
  request: { readonly headers: Headers },
  sessionId?: string,
): ResumeIntent {
  const { headers } = request;
  const lastEvent = headers.get(LAST_EVENT_ID);
  const sequence = headers.get(RESUME_FROM_SEQUENCE);
  const messageId = headers.get(EXISTING_MESSAGE_ID);
  if (lastEvent || sequence || messageId) {
    return {
      source: 'header',
      ...(sequence && { resumeFromSequence: toSequence(RESUME_FROM_SEQUENCE, sequence) }),
      ...(messageId && { existingMessageId: messageId }),
      ...(lastEvent && { position: toPosition(lastEvent) }),
    };
  }
  return fromCookie(headers.get('cookie') ?? '', sessionId) ?? { source: 'none' };
}

/** A `Set-Cookie` value that tells the next request of this browser where the session was. */
export function createResumeCookie(
  sessionId: string,
  intent: { readonly resumeFromSequence: number; readonly existingMessageId?: string },
  options: { readonly secure?: boolean; readonly path?: string } = {},
): string {
  const value = `${intent.resumeFromSequence}.${encodeURIComponent(intent.existingMessageId ?? '')}`;
  const attributes = [`Path=${options.path ?? '/'}`, `Max-Age=${COOKIE_MAX_AGE_SECONDS}`];
  attributes.push('HttpOnly', 'SameSite=Lax', ...(options.secure ? ['Secure'] : []));
  return [`${cookieName(sessionId)}=${value}`, ...attributes].join('; ');
}

/** Takes the cookie back, when the turn it speaks of is over. */
export function clearResumeCookie(
  sessionId: string,
  options: { readonly path?: string } = {},
): string {
  return `${cookieName(sessionId)}=; Path=${options.path ?? '/'}; Max-Age=0; HttpOnly; SameSite=Lax`;
}

/** Session ids may hold characters that cookie names may not. */
function cookieName(sessionId: string): string {
  return `${COOKIE}-${encodeURIComponent(sessionId).replaceAll(/[^\w.-]/g, '_')}`;
}

function fromCookie(header: string, sessionId: string | undefined): ResumeIntent | null {
  if (sessionId === undefined) return null;
  const name = `${cookieName(sessionId)}=`;
  const found = header.split(/; */).find((cookie) => cookie.startsWith(name));
  const match = /^(\d{1,15})\.(.*)$/.exec(found?.slice(name.length) ?? '');
  if (!match) return null;
  const [, sequence = '0', messageId = ''] = match;
  return {
    source: 'cookie',
    resumeFromSequence: Number(sequence),
    ...(messageId && { existingMessageId: safeDecode(messageId) }),
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function toSequence(path: string, text: string): number {
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidRequestError([{ path, message: 'must be a whole number from 0' }]);
}

function toPosition(text: string): ChatPosition {
  const match = /^(\d{1,15})\.(\d{1,6})$/.exec(text);
  if (match) return { sequence: Number(match[1]), index: Number(match[2]) };
  throw new InvalidRequestError([
    { path: LAST_EVENT_ID, message: 'must be the id of an event of this stream' },
  ]);
}
