import type { SessionStateStore } from '@helix-agents/core';
import type { ChatMessage } from '../ui/messages.ts';
import { collectMessages } from './message-pieces.ts';
import { transcriptPieces, type TranscriptOptions } from './transcript-messages.ts';

export interface UIMessagesOptions extends TranscriptOptions {
  /** Chat messages to leave out at the beginning. */
  readonly offset?: number;
  readonly limit?: number;
}

export interface UIMessagesPage {
  readonly messages: readonly ChatMessage[];
  readonly hasMore: boolean;
}

/** The committed conversation as chat messages. For the message that is being streamed, use `buildSnapshot`. */
export async function getUIMessages(
  { stateStore }: { readonly stateStore: SessionStateStore },
  sessionId: string,
  options: UIMessagesOptions = {},
): Promise<UIMessagesPage> {
  const { offset = 0, limit = Infinity, ...rest } = options;
  if (!(await stateStore.sessionExists(sessionId))) return { messages: [], hasMore: false };
  const shown = await collectMessages(transcriptPieces(stateStore, sessionId, rest));
  return { messages: shown.slice(offset, offset + limit), hasMore: offset + limit < shown.length };
}
