import { useChat, type UseChatHelpers } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { resolveHeaders } from '../client/connection.ts';
import { withoutWithdrawn } from '../ui/withdrawn.ts';
import { DEFAULT_API, type Latest, type UseHelixChatOptions } from './chat-options.ts';
import { createChatPage, type ChatPage } from './chat-page.ts';
import { somethingWaits } from './find-calls.ts';
import { useApprovals, type ApprovalAnswer } from './use-approvals.ts';
import { useAutoResync } from './use-auto-resync.ts';
import { useResumeClientTools, type ToolHandlers } from './use-resume-client-tools.ts';
import { isTemporary, useSnapshot, type SnapshotHelpers } from './use-snapshot.ts';

export type HelixChatHelpers<Message extends UIMessage = UIMessage> = UseChatHelpers<Message> & {
  /** The conversation is being loaded. If that fails, `error` says why and `status` is `error`. */
  readonly isLoading: boolean;
  /** False while a lost connection is looked for. */
  readonly connected: boolean;
  /** Decides about a call that waits for an approval, in this agent or a sub-agent. */
  readonly respondToApproval: (answer: ApprovalAnswer) => Promise<void>;
  /** Stops the agent itself, not only this page's reading. */
  readonly interrupt: () => Promise<void>;
  /** Loads what happened elsewhere. True when there was something. */
  readonly resync: () => Promise<boolean>;
};

/**
 * `useChat` for Helix: client tools, approvals, sub-agents, refreshes, lost connections, answers from elsewhere. The
 * conversation of this id is loaded when the page opens.
 *
 * @example
 * const chat = useHelixChat({ id, toolHandlers: { pickColor: async () => ({ color: await ask() }) } });
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
    () => createChatPage<Message>(latest, setConnected, outdated),
    // A conversation is its id: everything else is read when it is needed.
    [id, api],
  );
  const { chat, transport } = page;
  const given = options.snapshot != null || options.initialMessages !== undefined;
  const attach = { resume: resume && given, ...(throttle && { throttle }) };
  const helpers = useChat<Message>({ chat, ...attach } as never);
  const { messages, status } = helpers;
  const snapshot = useSnapshot(page, latest, api, resume && !given);
  const { resync, failure, isLoading } = snapshot;

  useEffect(() => {
    if (!outdated.current || (status !== 'ready' && status !== 'error')) return;
    outdated.current = false;
    transport.forget();
    void resync().catch(() => undefined);
  }, [status, resync, transport]);

  const waiting = somethingWaits(messages) || isTemporary(failure);
  useAutoResync({ id, status, resync, waiting, ...intervalOf(options) });
  useResumeClientTools({
    chat: helpers as never,
    toolHandlers: (options.toolHandlers as ToolHandlers | undefined) ?? NO_TOOLS,
    ...(options.onToolError && { onError: options.onToolError }),
  });

  const respondToApproval = useApprovals(page);
  const interrupt = useInterrupt(latest, page, api);
  const shown = useMemo(() => withoutWithdrawn(messages), [messages]);
  const own = { id, messages: shown, connected, isLoading, respondToApproval, interrupt, resync };
  return { ...helpers, ...withFailure(helpers, snapshot), ...own } as never;
}

/** A conversation that could not be loaded is an error of the chat, until it can be, or a message is sent. */
function withFailure<Message extends UIMessage>(
  { status, error, clearError }: UseChatHelpers<Message>,
  { failure, forgive }: SnapshotHelpers,
): Partial<UseChatHelpers<Message>> {
  if (failure === null) return {};
  return {
    error: error ?? failure,
    status: status === 'ready' ? 'error' : status,
    clearError: () => {
      forgive();
      clearError();
    },
  };
}

/** Stops the run on the server. */
function useInterrupt<Message extends UIMessage>(
  latest: Latest<Message>,
  { chat }: ChatPage<Message>,
  api: string,
): () => Promise<void> {
  const { id } = latest.current;
  return useCallback(async () => {
    const { fetch = globalThis.fetch, headers, credentials } = latest.current;
    const own = await resolveHeaders(headers);
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

function intervalOf({ resyncIntervalMs }: { readonly resyncIntervalMs?: number | false }): {
  intervalMs?: number | false;
} {
  return resyncIntervalMs === undefined ? {} : { intervalMs: resyncIntervalMs };
}
