import type { ChatMessage, ChatPart } from '../ui/messages.ts';

/** Messages in pieces, so that a conversation of any length is never held whole: the head of each, then its parts. */
export type MessagePiece =
  | { readonly head: Pick<ChatMessage, 'id' | 'role'> }
  | { readonly part: ChatPart };

export async function collectMessages(pieces: AsyncIterable<MessagePiece>): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = [];
  for await (const piece of pieces) {
    if ('head' in piece) messages.push({ ...piece.head, parts: [] });
    else messages.at(-1)?.parts.push(piece.part);
  }
  return messages;
}

/** The same messages as a JSON list, as text. */
export async function* messagesAsJson(pieces: AsyncIterable<MessagePiece>): AsyncGenerator<string> {
  let isFirst = true;
  let comma = '';
  for await (const piece of pieces) {
    if ('head' in piece) {
      const { id, role } = piece.head;
      yield `${isFirst ? '[' : ']},'}{"id":${JSON.stringify(id)},"role":"${role}","parts":[`;
      isFirst = false;
      comma = '';
    } else {
      yield comma + JSON.stringify(piece.part);
      comma = ',';
    }
  }
  yield isFirst ? '[]' : ']}]';
}
