import type { UIMessage } from 'ai';
import type { UseHelixChatOptions } from './chat-options.ts';
import { useHelixChat, type HelixChatHelpers } from './use-helix-chat.ts';

export type ResumableChatHelpers<Message extends UIMessage = UIMessage> = HelixChatHelpers<Message>;

/** `useHelixChat` for pages without a server of their own: always loads the conversation when it opens. */
export function useResumableChat<Message extends UIMessage = UIMessage>(
  options: Omit<UseHelixChatOptions<Message>, 'snapshot' | 'initialMessages' | 'resume'>,
): ResumableChatHelpers<Message> {
  return useHelixChat<Message>(options);
}
