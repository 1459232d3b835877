import { InvalidRequestError } from '@helix-agents/core';
import { readResumeCookie } from '@helix-agents/http';
import { EXISTING_MESSAGE_ID, LAST_EVENT_ID, RESUME_FROM_SEQUENCE } from '../ui/headers.ts';
import type { ChatPosition } from './chat-events.ts';

/** What a client says it has already received. */
export interface ResumeIntent {
  /** It has everything up to this chunk of the session's stream. */
  readonly resumeFromSequence?: number;
  /** The assistant message it shows. */
  readonly existingMessageId?: string;
  /** The position of the last event that was sent to a reader that reconnects: only later events are sent. */
  readonly position?: ChatPosition;
  readonly source: 'header' | 'cookie' | 'none';
}

/** Reads the headers; if there are none, the cookie of this session. A cursor that is not a number is refused. */
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
  const cookie =
    sessionId === undefined ? null : readResumeCookie(headers.get('cookie') ?? '', sessionId);
  return cookie ? { source: 'cookie', ...cookie } : { source: 'none' };
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
