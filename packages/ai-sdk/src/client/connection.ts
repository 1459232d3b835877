import { HelixStreamError } from '@helix-agents/core';
import type { UIMessageChunk } from 'ai';
import { LAST_EVENT_ID } from '../ui/headers.ts';
import type { AiMajor } from './detect-major.ts';
import { responseError } from './errors.ts';
import { BEGINNING, isAfter, toPlace, type Place } from './place.ts';
import { helixHeaders, streamUrl, type HelixReconnectRequestOptions } from './prepare-requests.ts';
import { parseEvents } from '@helix-agents/http/events';

/** How a page reaches its server. The same for the stream, the snapshot and the interrupt. */
export interface ConnectionOptions {
  /** Sent with every request, such as `{ authorization: 'Bearer …' }`. A function is called for each request: for tokens that expire. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** `include` sends cookies to another origin. */
  readonly credentials?: RequestCredentials;
  readonly fetch?: typeof globalThis.fetch;
  /** How long to try to reconnect before the chat shows an error; 60,000 by default. */
  readonly giveUpAfterMs?: number;
  /** Called when a connection is lost and when it is back. */
  readonly onConnectionChange?: (connected: boolean) => void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
const DEFAULT_GIVE_UP_MS = 60_000;

/** The chat at this end of a connection. */
interface Receiver {
  readonly seen: (sequence: number) => void;
  /** The major version of the `ai` package that reads the chunks. */
  readonly major: () => Promise<AiMajor>;
}

/** Requests that survive the network. */
export class Connection {
  readonly #api: string;
  readonly #options: ConnectionOptions;
  readonly #receiver: Receiver;

  constructor(api: string, options: ConnectionOptions, receiver: Receiver) {
    this.#api = api;
    this.#options = options;
    this.#receiver = receiver;
  }

  async headers(
    given: HeadersInit | undefined,
    cursor: HelixReconnectRequestOptions,
  ): Promise<Record<string, string>> {
    const all = new Headers(await resolveHeaders(this.#options.headers));
    new Headers(given).forEach((value, name) => all.set(name, value));
    return helixHeaders({ ...cursor, aiSdk: await this.#receiver.major() }, all);
  }

  request(url: string, signal: AbortSignal | undefined, init: RequestInit): Promise<Response> {
    const { fetch: given, credentials } = this.#options;
    return (given ?? globalThis.fetch)(url, {
      ...init,
      ...(credentials && { credentials }),
      ...(signal && { signal }),
    });
  }

  /** Repeats the request until there is a response, while there is no connection or the server is not up. A refusal is thrown at once. */
  async retry(ask: () => Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
    const until = Date.now() + (this.#options.giveUpAfterMs ?? DEFAULT_GIVE_UP_MS);
    for (let attempt = 0; ; attempt += 1) {
      const { response, failure } = await tryOnce(ask, signal);
      if (response) {
        if (attempt > 0) this.#options.onConnectionChange?.(true);
        return response;
      }
      if (attempt === 0) this.#options.onConnectionChange?.(false);
      if (Date.now() > until) throw failure;
      await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt), signal);
    }
  }

  /** The chunks of a response and of those that continue it, as one stream. `from`: what the chat has, null if unknown. */
  follow(
    chatId: string,
    first: Response,
    from: Place | null,
    signal: AbortSignal | undefined,
  ): ReadableStream<UIMessageChunk> {
    const chunks = this.#chunks(chatId, first, from, signal);
    return new ReadableStream<UIMessageChunk>({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    });
  }

  async *#chunks(
    chatId: string,
    first: Response,
    from: Place | null,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<UIMessageChunk> {
    let last = from;
    for (let response = first; response.status !== 204;) {
      for await (const { chunk, place } of chunksOf(response, signal)) {
        if (place && last && !isAfter(place, last)) continue;
        last = place ?? last;
        if (place) this.#receiver.seen(place.sequence);
        yield chunk;
        if (chunk.type === 'finish' || chunk.type === 'error') return;
      }
      // The stream ended without a final chunk: the connection was cut. The next response continues after the last event.
      if (signal?.aborted) return;
      this.#options.onConnectionChange?.(false);
      await pause(FIRST_WAIT_MS, signal);
      const after = last;
      response = await this.retry(() => this.#reconnect(chatId, after, signal), signal);
      this.#options.onConnectionChange?.(true);
    }
  }

  async #reconnect(
    chatId: string,
    last: Place | null,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    if (!last) throw HelixStreamError.fromEvent('The connection was lost. Reload the page.');
    const headers = await this.headers(undefined, {});
    if (isAfter(last, BEGINNING)) headers[LAST_EVENT_ID] = `${last.sequence}.${last.index}`;
    return this.request(streamUrl(this.#api, chatId), signal, { headers });
  }
}

export async function resolveHeaders(
  headers: ConnectionOptions['headers'],
): Promise<HeadersInit | undefined> {
  return typeof headers === 'function' ? headers() : headers;
}

/** Sent by a gateway while the server behind it is down or starting. */
function isTemporary({ status }: Response): boolean {
  return status >= 502 && status <= 504;
}

async function tryOnce(
  ask: () => Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<{ readonly response?: Response; readonly failure?: unknown }> {
  try {
    const response = await ask();
    if (response.ok) return { response };
    const failure = await responseError(response);
    if (isTemporary(response)) return { failure };
    throw failure;
  } catch (error) {
    // `fetch` throws a TypeError when there was no response at all.
    if (signal?.aborted || !(error instanceof TypeError)) throw error;
    return { failure: error };
  }
}

/** Ends with the response, whether that is complete or cut off. */
async function* chunksOf(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly chunk: UIMessageChunk; readonly place: Place | null }> {
  if (!response.body) return;
  try {
    for await (const { id, data } of parseEvents(response.body)) {
      if (data === '[DONE]') continue;
      yield { chunk: JSON.parse(data) as UIMessageChunk, place: toPlace(id) };
    }
  } catch (error) {
    if (signal?.aborted) throw error;
  }
}

/** Ends early when the page is online again, or the request is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      globalThis.removeEventListener?.('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    globalThis.addEventListener?.('online', done);
  });
}
