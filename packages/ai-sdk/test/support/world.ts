// A chat server in this process: the real handler on the real executor over SQLite. Only the model is scripted.
import {
  RoutingMockLLMAdapter,
  type AgentConfig,
  type ScriptedStep,
  type ScriptOptions,
} from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import { expect, onTestFinished } from 'vitest';
import {
  buildSnapshot,
  handleChatSnapshot,
  handleChatStream,
  type ChatDependencies,
  type ChatSnapshot,
} from '../../src/index.ts';
import {
  createHelixChatTransport,
  createHelixSendAutomaticallyWhen,
  prepareHelixChatRequest,
  prepareHelixReconnectRequest,
} from '../../src/client.ts';
import { sdks, type Chat, type Sdk, type Transport } from './sdks.ts';

export const API = 'http://chat.test/api/chat';

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** Chunks of the response so far. */
  readonly chunks: Record<string, unknown>[];
  readonly ids: (string | null)[];
  readonly done: Promise<void>;
}

export type TransportKind = 'stock' | 'prepared' | 'helix';

export interface World {
  readonly deps: ChatDependencies;
  readonly executor: JSAgentExecutor;
  readonly model: RoutingMockLLMAdapter;
  readonly exchanges: Exchange[];
  readonly posts: () => number;
  readonly fetch: typeof fetch;
  readonly chat: (sdk: Sdk, options?: ChatSettings) => Chat;
  readonly snapshot: (id?: string) => Promise<ChatSnapshot>;
  /** Every chunk that went out, validated by both majors. */
  readonly validate: () => Promise<void>;
}

export interface ChatSettings {
  readonly id?: string;
  readonly transport?: TransportKind;
  readonly predicate?: 'stock' | 'helix' | 'none';
  readonly snapshot?: ChatSnapshot;
  readonly fetch?: typeof fetch;
  readonly body?: () => object;
  readonly onError?: (error: Error) => void;
  readonly onData?: (part: { readonly type: string }) => void;
}

export function createWorld(
  agent: AgentConfig,
  script: { readonly [agentType: string]: readonly ScriptedStep[] },
  options: Partial<ChatDependencies> & {
    readonly stream?: ScriptOptions;
    readonly clock?: never;
  } = {},
): World {
  const { stream, ...chatOptions } = options;
  const { stateStore, streamManager, close } = openSqlite(':memory:');
  const model = new RoutingMockLLMAdapter(stream ?? { chunkSize: 8 });
  for (const [agentType, steps] of Object.entries(script)) model.setResponses(agentType, steps);
  const executor = new JSAgentExecutor(stateStore, streamManager, model, {
    agentRegistry: { [agent.name]: agent },
  });
  const deps: ChatDependencies = { executor, stateStore, streamManager, agent, ...chatOptions };
  const exchanges: Exchange[] = [];
  onTestFinished(async () => {
    await executor.shutdown({ graceMs: 1_000 });
    close();
  });
  const serve = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { signal, ...rest } = init ?? {};
    const request = new Request(input, rest as RequestInit);
    const [, , id = '', what] = new URL(request.url).pathname.slice(1).split('/');
    const sessionId = decodeURIComponent(id);
    const response = await (what === 'snapshot'
      ? handleChatSnapshot(deps, { sessionId, request })
      : handleChatStream(deps, { request, ...(sessionId && { sessionId }) }));
    const exchange = record(request, response, exchanges);
    signal?.throwIfAborted();
    return new Response(cancelOn(exchange.body, signal), response);
  };
  return {
    deps,
    executor,
    model,
    exchanges,
    posts: () => exchanges.filter(({ method }) => method === 'POST').length,
    fetch: serve as typeof fetch,
    snapshot: (id = 'chat-1') => buildSnapshot(deps, id),
    chat(sdk, settings = {}) {
      const { id = 'chat-1', predicate = 'helix', snapshot, onError, onData } = settings;
      return sdk.createChat({
        id,
        messages: structuredClone(snapshot?.messages ?? []) as never,
        transport: transportOf(sdk, settings, settings.fetch ?? (serve as typeof fetch)),
        generateId: ids(),
        ...(onError && { onError }),
        ...(onData && { onData: onData as never }),
        ...(predicate !== 'none' && {
          sendAutomaticallyWhen:
            predicate === 'stock' ? sdk.stockPredicate : createHelixSendAutomaticallyWhen(),
        }),
      });
    },
    async validate() {
      for (const exchange of exchanges) {
        await exchange.done;
        for (const chunk of exchange.chunks) {
          for (const sdk of sdks) {
            const later = exchange.headers.get('x-helix-chat-capabilities') === 'ai-sdk-7';
            if (later && sdk.major === 6) continue;
            expect(await sdk.isValidChunk(chunk), `${sdk.name}: ${JSON.stringify(chunk)}`).toBe(
              true,
            );
          }
        }
      }
    },
  };
}

function transportOf(sdk: Sdk, settings: ChatSettings, fetch: typeof globalThis.fetch): Transport {
  const { transport = 'helix', snapshot, body } = settings;
  const resume = {
    resumeFromSequence: snapshot?.streamSequence,
    existingMessageId: snapshot?.existingMessageId,
    // Two majors in one process: the one that is found is not always the one that reads.
    aiSdk: sdk.major,
  };
  switch (transport) {
    case 'stock':
      return new sdk.DefaultChatTransport({ api: API, fetch, ...(body && { body }) });
    case 'prepared':
      return new sdk.DefaultChatTransport({
        api: API,
        fetch,
        ...(body && { body }),
        prepareSendMessagesRequest: prepareHelixChatRequest(resume),
        prepareReconnectToStreamRequest: prepareHelixReconnectRequest(resume),
      });
    case 'helix':
      return createHelixChatTransport({ api: API, fetch, ...(body && { body }), ...resume });
  }
}

let chats = 0;

/** Like a browser's: unique in the page, and in every page. */
function ids(): () => string {
  const page = (chats += 1);
  let count = 0;
  return () => `m${page}.${(count += 1)}`;
}

function record(
  request: Request,
  response: Response,
  exchanges: Exchange[],
): { readonly body: ReadableStream<Uint8Array> | null } {
  const chunks: Record<string, unknown>[] = [];
  const ids: (string | null)[] = [];
  let finished = (): void => {};
  const done = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const { method, url, headers } = request;
  exchanges.push({ method, url, status: response.status, headers, chunks, ids, done });
  if (!response.body || !response.headers.get('content-type')?.includes('event-stream')) {
    finished();
    return { body: response.body };
  }
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done: over, value } = await reader.read();
      if (over) {
        finished();
        return controller.close();
      }
      text += decoder.decode(value, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (!data || data === '[DONE]') continue;
        chunks.push(JSON.parse(data) as Record<string, unknown>);
        ids.push(/^id: (.*)$/m.exec(event)?.[1] ?? null);
      }
      controller.enqueue(value);
    },
    async cancel() {
      finished();
      await reader.cancel();
    },
  });
  return { body };
}

/** `fetch` ends the body when its signal aborts. */
function cancelOn(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> | null {
  if (!body || !signal) return body;
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener('abort', () => {
        void reader.cancel();
        controller.error(signal.reason ?? new DOMException('Aborted', 'AbortError'));
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  });
}

/** Waits until it holds; never longer than the test may take. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited too long for: ${what}`);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/** The chat stands still: no request is open and none is about to be sent. */
export async function settled(chat: Chat): Promise<void> {
  let calm = 0;
  await until(`the chat to stand still (${chat.status})`, () => {
    calm = chat.status === 'ready' || chat.status === 'error' ? calm + 1 : 0;
    return calm >= 4;
  });
}

/** Parts without what differs by nature: undefined keys. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

interface ShortPart {
  readonly type: string;
  readonly text?: string;
  readonly state?: string;
  readonly toolCallId?: string;
}

/** A message in short: `[step] Hello · tool-x:output-available`. */
export function inShort(
  message: { readonly role: string; readonly parts: readonly object[] } | undefined,
): string {
  return (message?.parts ?? [])
    .map((given) => {
      const part = given as ShortPart;
      if (part.type === 'step-start') return '[step]';
      if (part.type === 'text') return part.text;
      if (part.type === 'reasoning') return `(${part.text})`;
      return part.state ? `${part.type}:${part.state}` : part.type;
    })
    .join(' ');
}
