import type { UIMessage } from 'ai';
import type { HelixChatTransportOptions } from '../client/chat-transport.ts';
import type { HydratedSnapshot } from './fetch-snapshot.ts';
import type { ToolHandlersOf, UseResumeClientToolsOptions } from './use-resume-client-tools.ts';

export interface UseHelixChatOptions<Message extends UIMessage = UIMessage> extends Omit<
  HelixChatTransportOptions,
  'resumeFromSequence' | 'existingMessageId' | 'onConnectionChange'
> {
  /** The session's id; every page with this id shows the same conversation. */
  readonly id: string;
  /** The result of `buildSnapshot` on the server, shown at first. Without it the page loads the conversation itself. */
  readonly snapshot?: HydratedSnapshot | null;
  /** The page's own tools, by name. */
  readonly toolHandlers?: ToolHandlersOf<Message>;
  readonly onToolError?: UseResumeClientToolsOptions['onError'];
  /** False: the page shows only the snapshot or messages that it is given, and does not attach to a run. True by default. */
  readonly resume?: boolean;
  /** How often to look for answers given elsewhere while a call waits; false: only when the page is shown, focused or online again. */
  readonly resyncIntervalMs?: number | false;
  readonly onError?: (error: Error) => void;
  readonly onFinish?: () => void;
  readonly onData?: (part: { readonly type: string; readonly data: unknown }) => void;
  readonly throttle?: number;
  readonly generateId?: () => string;
  /** Instead of a snapshot, where the application keeps messages itself: nothing is loaded then. */
  readonly initialMessages?: Message[];
}

/** The options of the latest render. */
export interface Latest<Message extends UIMessage> {
  readonly current: UseHelixChatOptions<Message>;
}

export const DEFAULT_API = '/api/chat';
