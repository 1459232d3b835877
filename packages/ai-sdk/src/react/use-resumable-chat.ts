import type { UIMessage } from 'ai';
import { useEffect, useState } from 'react';
import { useHelixChat, type HelixChatHelpers, type UseHelixChatOptions } from './use-helix-chat.ts';

export type ResumableChatHelpers<Message extends UIMessage = UIMessage> =
  HelixChatHelpers<Message> & {
    /** The conversation is being loaded. */
    readonly isLoading: boolean;
  };

/** `useHelixChat` for pages without a server of their own: loads the snapshot when it opens, then goes on from it. */
export function useResumableChat<Message extends UIMessage = UIMessage>(
  options: Omit<UseHelixChatOptions<Message>, 'snapshot' | 'resume'>,
): ResumableChatHelpers<Message> {
  const chat = useHelixChat<Message>({ ...options, resume: false });
  const { id, resync } = chat;
  const [loaded, setLoaded] = useState<string | null>(null);
  const { onError } = options;
  useEffect(() => {
    let current = true;
    resync()
      .catch((error: unknown) =>
        onError?.(error instanceof Error ? error : new Error(String(error))),
      )
      .finally(() => {
        if (current) setLoaded(id);
      });
    return () => {
      current = false;
    };
    // Once per conversation.
  }, [id, resync]);
  return { ...chat, isLoading: loaded !== id };
}
