import { SESSION_LIMITS } from '../define/session-limits.ts';
import { MAX_ID_LENGTH } from '../define/submit-schema.ts';
import { isChildId } from '../engine/rows/child-session-id.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import type { UserInputMessage, UserMessage } from '../messages/message.ts';
import { checkMetadata } from './check-options.ts';
import { plainOption } from './plain-option.ts';
import { requireOneOfEach } from '../store/message-id.ts';

/** Files may be part of a message. */
export const MAX_MESSAGE_BYTES = 64_000_000;

/** The user messages of an input, checked before anything is written. */
export function toUserMessages(
  message: string | readonly UserInputMessage[],
  newId: () => string,
): readonly UserMessage[] {
  const given =
    typeof message === 'string' ? [{ role: 'user' as const, content: message }] : message;
  if (!Array.isArray(given) || given.length === 0) {
    throw new InvalidRequestError([
      { path: 'message', message: 'give a text or at least one user message' },
    ]);
  }
  if (given.length > SESSION_LIMITS.messages) {
    throw new InvalidRequestError([
      { path: 'message', message: `must be at most ${SESSION_LIMITS.messages} messages at once` },
    ]);
  }
  const messages = given.map((one, position) => {
    if (one?.role !== 'user' || typeof one.content !== 'string') {
      throw new InvalidRequestError([
        { path: `message.${position}`, message: 'must be { role: "user", content: string }' },
      ]);
    }
    checkMetadata(`message.${position}.metadata`, one.metadata);
    if ((one.files?.length ?? 0) > SESSION_LIMITS.files) {
      const problem = `must be at most ${SESSION_LIMITS.files}`;
      throw new InvalidRequestError([{ path: `message.${position}.files`, message: problem }]);
    }
    if (one.content.trim() === '' && !one.files?.length) {
      const path = typeof message === 'string' ? 'message' : `message.${position}.content`;
      throw new InvalidRequestError([{ path, message: 'is empty; send a text, or files with it' }]);
    }
    if (one.id !== undefined) checkId(`message.${position}.id`, one.id);
    const made = { ...one, id: one.id ?? newId() };
    return plainOption(`message.${position}`, made, MAX_MESSAGE_BYTES);
  });
  requireOneOfEach(messages);
  return messages;
}

/** The ids that the sender chose: a message that is sent again has the same. */
export function givenIds(message: string | readonly UserInputMessage[]): ReadonlySet<string> {
  return new Set(typeof message === 'string' ? [] : message.flatMap((one) => one.id ?? []));
}

/** A session id a caller chose: it becomes a key in every store, so control characters and endless ids are refused. */
export function checkSessionId(sessionId: string): void {
  checkId('sessionId', sessionId);
}

function checkId(path: string, id: string): void {
  const fault =
    typeof id !== 'string' || id === ''
      ? 'must be a non-empty string'
      : id.length > MAX_ID_LENGTH
        ? `must have at most ${MAX_ID_LENGTH} characters`
        : /[\p{Cc}\p{Cs}]/u.test(id)
          ? 'must not contain control characters or broken surrogates'
          : null;
  if (fault) throw new InvalidRequestError([{ path, message: fault }]);
}

/** The same for a new session. Ids with the form of a sub-agent's session are refused: they are derived from the parent's id. */
export function checkNewSessionId(sessionId: string): void {
  checkSessionId(sessionId);
  if (!isChildId(sessionId)) return;
  const message = 'must not end like the id of a sub-agent (-sub-{step}-{index})';
  throw new InvalidRequestError([{ path: 'sessionId', message }]);
}
