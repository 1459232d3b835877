import { Chat, useChat, type UseChatHelpers } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  createHelixChatTransport,
  type ResumableChatTransport,
  type HelixChatTransportOptions,
} from '../client/chat-transport.ts';
import { createHelixSendAutomaticallyWhen } from '../client/send-automatically.ts';
import { withoutWithdrawn } from '../ui/withdrawn.ts';
import { findApproval, somethingWaits } from './find-calls.ts';
import { fetchSnapshot, type HydratedSnapshot } from './fetch-snapshot.ts';
import { useAutoResync } from './use-auto-resync.ts';
import {
  useResumeClientTools,
  type ToolHandlers,
  type ToolHandlersOf,
  type UseResumeClientToolsOptions,
} from './use-resume-client-tools.ts';

export interface UseHelixChatOptions<Message extends UIMessage = UIMessage> extends Omit<
  HelixChatTransportOptions,
  'resumeFromSequence' | 'existingMessageId' | 'onConnectionChange'
> {
  /** Of the session; a new page of the same id shows the same conversation. */
  readonly id: string;
  /** What the page begins with: what `buildSnapshot` returned on the server. */
  readonly snapshot?: HydratedSnapshot | null;
  /** The page's own tools, by name. */
  readonly toolHandlers?: ToolHandlersOf<Message>;
  readonly onToolError?: UseResumeClientToolsOptions['onError'];
  /** Attach to what is going on when the page opens. True by default. */
  readonly resume?: boolean;
  /** How often to look for answers given elsewhere while something waits; false: only when the page is looked at. */
  readonly resyncIntervalMs?: number | false;
  readonly onError?: (error: Error) => void;
  readonly onFinish?: () => void;
  readonly onData?: (part: { readonly type: string; readonly data: unknown }) => void;
  readonly throttle?: number;
  readonly generateId?: () => string;
  readonly initialMessages?: Message[];
}

export interface ApprovalAnswer {
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly reason?: string;
  /** The input to run with, where the person edited it. */
  readonly input?: unknown;
}

export type HelixChatHelpers<Message extends UIMessage = UIMessage> = UseChatHelpers<Message> & {
  /** False while a lost connection is looked for. */
  readonly connected: boolean;
  /** Decides about a call that waits for an approval, in this agent or a sub-agent. */
  readonly respondToApproval: (answer: ApprovalAnswer) => Promise<void>;
  /** Stops the agent itself, not only this page's reading. */
  readonly interrupt: () => Promise<void>;
  /** Loads what happened elsewhere. True when there was something. */
  readonly resync: () => Promise<boolean>;
};

const DEFAULT_API = '/api/chat';

/**
 * `useChat` for Helix: client tools, approvals, sub-agents, refreshes, lost connections, answers from elsewhere.
 *
 * @example
 * const chat = useHelixChat({ id, snapshot, toolHandlers: { pickColor: async () => ({ color: await ask() }) } });
 */
export function useHelixChat<Message extends UIMessage = UIMessage>(
  options: UseHelixChatOptions<Message>,
): HelixChatHelpers<Message> {
  const { id, api = DEFAULT_API, resume = true, throttle } = options;
  const latest = useRef(options);
  latest.current = options;
  const [connected, setConnected] = useState(true);
  const outdated = useRef(false);
  const page = useMemo(
    () => createPage<Message>(latest, setConnected, outdated),
    // A conversation is its id: everything else is read when it is needed.
    [id, api],
  );
  const { chat, transport } = page;
  const helpers = useChat<Message>({ chat, resume, ...(throttle && { throttle }) } as never);
  const { messages, status } = helpers;

  const resync = useCallback(async () => {
    const { fetch, headers, credentials } = latest.current;
    const request = { api, id, fetch, headers, credentials, after: transport.lastSequence() };
    const found = await fetchSnapshot(request as never);
    if (!found || chat.status === 'streaming' || chat.status === 'submitted') return false;
    chat.messages = found.messages as Message[];
    transport.seen(found.streamSequence);
    if (found.status === 'running') void chat.resumeStream();
    return true;
  }, [api, id, chat, transport]);

  useEffect(() => {
    if (!outdated.current || (status !== 'ready' && status !== 'error')) return;
    outdated.current = false;
    transport.forget();
    void resync().catch(() => undefined);
  }, [status, resync, transport]);

  const waiting = somethingWaits(messages);
  useAutoResync({ id, status, resync, waiting, ...intervalOf(options) });
  useResumeClientTools({
    chat: helpers as never,
    toolHandlers: (options.toolHandlers as ToolHandlers | undefined) ?? NO_TOOLS,
    ...(options.onToolError && { onError: options.onToolError }),
  });

  const respondToApproval = useApprovals(page);
  const interrupt = useInterrupt(latest, chat, api);
  const shown = useMemo(() => withoutWithdrawn(messages), [messages]);
  const own = { id, messages: shown, connected, respondToApproval, interrupt, resync };
  return { ...helpers, ...own } as never;
}

/** Answers an approval by its call; an edited input goes with it. */
function useApprovals<Message extends UIMessage>({
  chat,
  edits,
}: Page<Message>): (answer: ApprovalAnswer) => Promise<void> {
  return useCallback(
    async ({ toolCallId, approved, reason, input }: ApprovalAnswer) => {
      const approvalId = findApproval(chat.messages, toolCallId);
      if (approvalId === null) return;
      if (input === undefined) delete edits[toolCallId];
      else edits[toolCallId] = input;
      await chat.addToolApprovalResponse({ id: approvalId, approved, ...(reason && { reason }) });
    },
    [chat, edits],
  );
}

/** Stops the run on the server. */
function useInterrupt<Message extends UIMessage>(
  latest: { readonly current: UseHelixChatOptions<Message> },
  chat: Chat<Message>,
  api: string,
): () => Promise<void> {
  const { id } = latest.current;
  return useCallback(async () => {
    const { fetch = globalThis.fetch, headers, credentials } = latest.current;
    const own = typeof headers === 'function' ? await headers() : headers;
    const response = await fetch(`${api}/${encodeURIComponent(id)}/interrupt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...Object.fromEntries(new Headers(own)) },
      body: '{}',
      ...(credentials && { credentials }),
    });
    // Nobody to stop it: at least this page stops reading.
    if (!response.ok) await chat.stop();
  }, [api, id, chat]);
}

const NO_TOOLS: ToolHandlers = {};

interface Page<Message extends UIMessage> {
  readonly chat: Chat<Message>;
  readonly transport: ResumableChatTransport<Message>;
  /** Inputs a person edited, by tool call id; they ride along with the answer. */
  readonly edits: { [toolCallId: string]: unknown };
}

function createPage<Message extends UIMessage>(
  latest: { readonly current: UseHelixChatOptions<Message> },
  onConnectionChange: (connected: boolean) => void,
  outdated: { current: boolean },
): Page<Message> {
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
  const transport = createHelixChatTransport<Message>({
    ...settings,
    api: latest.current.api ?? DEFAULT_API,
    resumeFromSequence: snapshot?.streamSequence,
    existingMessageId: snapshot?.existingMessageId,
    onConnectionChange,
    headers: async () => {
      const { headers } = latest.current;
      return (typeof headers === 'function' ? await headers() : headers) ?? {};
    },
    body: () => {
      const { body } = latest.current;
      const own = typeof body === 'function' ? body() : body;
      return Object.keys(edits).length > 0 ? { ...own, toolInputs: edits } : { ...own };
    },
    fetch: (input, init) => (latest.current.fetch ?? globalThis.fetch)(input, init),
  });
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

function intervalOf({ resyncIntervalMs }: { readonly resyncIntervalMs?: number | false }): {
  intervalMs?: number | false;
} {
  return resyncIntervalMs === undefined ? {} : { intervalMs: resyncIntervalMs };
}
