import type { UIMessage } from 'ai';
import type { HelixChatTransportOptions } from '../client/chat-transport.ts';
import type { HydratedSnapshot } from './fetch-snapshot.ts';
import type { ToolHandlersOf, UseResumeClientToolsOptions } from './use-resume-client-tools.ts';

export interface UseHelixChatOptions<Message extends UIMessage = UIMessage> extends Omit<
  HelixChatTransportOptions,
  'resumeFromSequence' | 'existingMessageId' | 'onConnectionChange'
> {
  /** Of the session; a new page of the same id shows the same conversation. */
  readonly id: string;
  /** What the page begins with: what `buildSnapshot` returned on the server. Without it the page loads the conversation itself. */
  readonly snapshot?: HydratedSnapshot | null;
  /** The page's own tools, by name. */
  readonly toolHandlers?: ToolHandlersOf<Message>;
  readonly onToolError?: UseResumeClientToolsOptions['onError'];
  /** False: the page opens empty, or with what it is given, and attaches to nothing. True by default. */
  readonly resume?: boolean;
  /** How often to look for answers given elsewhere while something waits; false: only when the page is looked at. */
  readonly resyncIntervalMs?: number | false;
  readonly onError?: (error: Error) => void;
  readonly onFinish?: () => void;
  readonly onData?: (part: { readonly type: string; readonly data: unknown }) => void;
  readonly throttle?: number;
  readonly generateId?: () => string;
  /** Instead of a snapshot, where the application keeps messages itself: nothing is loaded then. */
  readonly initialMessages?: Message[];
}

/** The options of the newest rendering. */
export interface Latest<Message extends UIMessage> {
  readonly current: UseHelixChatOptions<Message>;
}

export const DEFAULT_API = '/api/chat';
