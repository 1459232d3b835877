import { InvalidRequestError } from '../errors/request-errors.ts';
import type { Message } from '../messages/message.ts';

/** The id that identifies a user message in its session. Other messages have none. */
export function userMessageId(message: Message): string | undefined {
  return message.role === 'user' ? message.id : undefined;
}

/** A session has one message with an id. */
export function requireOneOfEach(messages: readonly Message[]): void {
  const seen = new Set<string>();
  for (const [position, message] of messages.entries()) {
    const id = userMessageId(message);
    if (id === undefined) continue;
    if (seen.has(id)) {
      const problem = `${id} is the id of two messages; give each its own`;
      throw new InvalidRequestError([{ path: `message.${position}.id`, message: problem }]);
    }
    seen.add(id);
  }
}
