import type { SessionStateStore } from '@helix-agents/core';
import type { ChatMessage } from '../ui/messages.ts';
import {
  toChatMessages,
  type SubAgentTranscript,
  type TranscriptOptions,
} from './transcript-messages.ts';

export interface UIMessagesOptions extends Omit<TranscriptOptions, 'subAgents'> {
  /** Chat messages to leave out at the beginning. */
  readonly offset?: number;
  readonly limit?: number;
}

export interface UIMessagesPage {
  readonly messages: readonly ChatMessage[];
  readonly hasMore: boolean;
}

/** The committed conversation as chat messages. What is being said right now is in `buildSnapshot`. */
export async function getUIMessages(
  { stateStore }: { readonly stateStore: SessionStateStore },
  sessionId: string,
  options: UIMessagesOptions = {},
): Promise<UIMessagesPage> {
  const { offset = 0, limit = Infinity, ...rest } = options;
  if (!(await stateStore.sessionExists(sessionId))) return { messages: [], hasMore: false };
  const messages = await stateStore.getAllMessages(sessionId);
  const subAgents = await readSubAgents(stateStore, sessionId);
  const shown = toChatMessages(messages, { ...rest, subAgents });
  return { messages: shown.slice(offset, offset + limit), hasMore: offset + limit < shown.length };
}

/** Transcripts of sub-agents, at any depth. */
async function readSubAgents(
  stateStore: SessionStateStore,
  sessionId: string,
): Promise<ReadonlyMap<string, SubAgentTranscript>> {
  const found = new Map<string, SubAgentTranscript>();
  for (const { subSessionId, agentType, parentToolCallId } of await stateStore.listSubSessions(
    sessionId,
  )) {
    if (!(await stateStore.sessionExists(subSessionId))) continue;
    found.set(parentToolCallId, {
      sessionId: subSessionId,
      agentType,
      messages: await stateStore.getAllMessages(subSessionId),
      subAgents: await readSubAgents(stateStore, subSessionId),
    });
  }
  return found;
}
