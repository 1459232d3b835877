import type { UIMessage } from 'ai';
import { useCallback, useEffect, useState } from 'react';
import { HelixStreamError } from '@helix-agents/core';
import type { Latest } from './chat-options.ts';
import type { ChatPage } from './chat-page.ts';
import { fetchSnapshot, type HydratedSnapshot } from './fetch-snapshot.ts';

interface Loaded {
  readonly page: object;
  readonly failure: Error | null;
}

export interface SnapshotHelpers {
  readonly isLoading: boolean;
  /** Why the conversation could not be loaded when the page opened. */
  readonly failure: Error | null;
  readonly forgive: () => void;
  readonly resync: () => Promise<boolean>;
}

/** Loads the conversation when the page opens, if `wanted`, and again whenever it is asked to. */
export function useSnapshot<Message extends UIMessage>(
  page: ChatPage<Message>,
  latest: Latest<Message>,
  api: string,
  wanted: boolean,
): SnapshotHelpers {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const { id } = page.chat;
  const forgive = useCallback(() => setLoaded({ page, failure: null }), [page]);

  const resync = useCallback(async () => {
    const after = page.transport.lastSequence();
    const found = await fetchSnapshot({ api, id, after, connection: latest.current });
    forgive();
    return found !== null && show(page, found);
  }, [api, id, page, latest, forgive]);

  useEffect(() => {
    if (!wanted) return;
    let current = true;
    resync().catch((error: unknown) => {
      if (!current) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      setLoaded({ page, failure });
      latest.current.onError?.(failure);
    });
    return () => {
      current = false;
    };
  }, [page, wanted, resync, latest]);

  const settled = loaded?.page === page;
  return {
    isLoading: wanted && !settled,
    failure: settled ? loaded.failure : null,
    forgive,
    resync,
  };
}

/** The server may be back soon: worth asking again. A refusal is not. */
export function isTemporary(failure: Error | null): boolean {
  if (failure === null) return false;
  return HelixStreamError.isInstance(failure) ? failure.retryable : failure instanceof TypeError;
}

/** True when the page shows something new. */
function show<Message extends UIMessage>(
  { chat, transport }: ChatPage<Message>,
  found: HydratedSnapshot,
): boolean {
  const messages = found.messages as Message[];
  const busy = chat.status === 'streaming' || chat.status === 'submitted';
  if (busy || (transport.lastSequence() ?? 0) > found.streamSequence) {
    // Something was said while this was loaded: only what came before it is news.
    const own = new Set(chat.messages.map((message) => message.id));
    const known = messages.findIndex((message) => own.has(message.id));
    const before = known === -1 ? messages : messages.slice(0, known);
    if (before.length > 0) chat.messages = [...before, ...chat.messages];
    return before.length > 0;
  }
  chat.messages = messages;
  transport.seen(found.streamSequence);
  if (found.status === 'running') void chat.resumeStream();
  return true;
}
