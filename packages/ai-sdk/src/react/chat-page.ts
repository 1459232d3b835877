import { Chat } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import {
  createTransport,
  type ResumableChatTransport,
  type HelixChatTransportOptions,
} from '../client/chat-transport.ts';
import { resolveHeaders } from '../client/connection.ts';
import { detectMajor, type AiMajor } from '../client/detect-major.ts';
import { createHelixSendAutomaticallyWhen } from '../client/send-automatically.ts';
import { DEFAULT_API, type Latest } from './chat-options.ts';

/** One conversation in a page. */
export interface ChatPage<Message extends UIMessage> {
  readonly chat: Chat<Message>;
  readonly transport: ResumableChatTransport<Message>;
  /** Inputs a person edited, by tool call id; they ride along with the answer. */
  readonly edits: { [toolCallId: string]: unknown };
}

export function createChatPage<Message extends UIMessage>(
  latest: Latest<Message>,
  onConnectionChange: (connected: boolean) => void,
  outdated: { current: boolean },
): ChatPage<Message> {
  const {
    id,
    snapshot,
    initialMessages,
    body: _,
    headers: __,
    fetch: ___,
    ...settings
  } = latest.current;
  const edits: { [toolCallId: string]: unknown } = {};
  const connection: HelixChatTransportOptions = {
    ...settings,
    api: latest.current.api ?? DEFAULT_API,
    resumeFromSequence: snapshot?.streamSequence,
    existingMessageId: snapshot?.existingMessageId,
    onConnectionChange,
    headers: async () => (await resolveHeaders(latest.current.headers)) ?? {},
    body: () => {
      const { body } = latest.current;
      const own = typeof body === 'function' ? body() : body;
      return Object.keys(edits).length > 0 ? { ...own, toolInputs: edits } : { ...own };
    },
    fetch: (input, init) => (latest.current.fetch ?? globalThis.fetch)(input, init),
  };
  const transport = createTransport<Message>(connection, chatMajor);
  const { generateId } = latest.current;
  const chat = new Chat<Message>({
    id,
    messages: (snapshot?.messages ?? initialMessages ?? []) as Message[],
    transport,
    sendAutomaticallyWhen: createHelixSendAutomaticallyWhen() as never,
    ...(generateId && { generateId }),
    onError: (error) => latest.current.onError?.(error),
    onFinish: () => latest.current.onFinish?.(),
    onData: (part) => {
      if (part.type === 'data-resync') outdated.current = true;
      latest.current.onData?.(part as { type: string; data: unknown });
    },
  });
  return { chat, transport, edits };
}

let major: Promise<AiMajor> | undefined;

/** Of the `ai` inside of this `Chat`, which need not be the one the page imports. */
function chatMajor(): Promise<AiMajor> {
  major ??= detectMajor(async (chunks) => {
    const transport = {
      sendMessages: async () => chunks,
      reconnectToStream: async () => chunks,
    };
    const chat = new Chat({ id: 'probe', transport });
    await chat.resumeStream();
    return chat.lastMessage;
  });
  return major;
}
