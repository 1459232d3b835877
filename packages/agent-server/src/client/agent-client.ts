import {
  HelixError,
  HelixPayloadTooLargeError,
  HelixStreamError,
  type SubmitToolResultInput,
} from '@helix-agents/core';
import { parseEvents, type ServerEvent } from '@helix-agents/http/events';
import type { FeedEvent } from '../sse/session-feed.ts';
import type {
  AbortAnswer,
  ErrorAnswer,
  Health,
  InterruptAnswer,
  OpenCallsQuery,
  OpenCallView,
  ResumeRequest,
  RunStarted,
  SessionDetailQuery,
  SessionDetailView,
  SessionsQuery,
  SessionStarted,
  SessionStatusView,
  SessionSummary,
  StartRequest,
  StopRequest,
  SubmitAnswer,
  WirePage,
} from '../wire.ts';

export interface AgentClientOptions {
  /** Where the server is, with its prefix: `https://example.com/api`. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer`; asked for anew for each request when it is a function. */
  readonly token?: string | (() => string | Promise<string>);
  readonly headers?: { readonly [name: string]: string };
  readonly fetch?: typeof fetch;
}

export interface StreamOptions {
  /** Chunks after this number. Default: all there are. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** How often in a row a broken connection is tried again, after the last chunk that came; 10 by default. */
  readonly reconnects?: number;
}

/** A refusal of the server: `code`, `statusCode` and its whole answer. */
export class AgentServerError extends HelixError {
  override readonly name: string = 'AgentServerError';
  readonly body: ErrorAnswer;

  constructor(statusCode: number, body: ErrorAnswer) {
    super({ message: body.error, code: body.code, statusCode });
    this.body = body;
  }
}

/**
 * Every route of an `AgentServer`, typed. Redirects are not followed: they would take the token along.
 *
 * @example
 * const client = new AgentClient({ baseUrl: 'http://localhost:3000' });
 * const { sessionId } = await client.start({ agentType: 'assistant', message: 'Hello' });
 * for await (const event of client.stream(sessionId)) console.log(event);
 */
export class AgentClient {
  readonly #options: AgentClientOptions;
  readonly #fetch: typeof fetch;

  constructor(options: AgentClientOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
  }

  start(request: StartRequest): Promise<SessionStarted> {
    return this.#post('/start', request);
  }

  resume(request: ResumeRequest): Promise<RunStarted> {
    return this.#post('/resume', request);
  }

  interrupt(request: StopRequest): Promise<InterruptAnswer> {
    return this.#post('/interrupt', request);
  }

  abort(request: StopRequest): Promise<AbortAnswer> {
    return this.#post('/abort', request);
  }

  /** Says what became of it, also where the server answers 404 or 410. */
  async submit(submission: SubmitToolResultInput): Promise<SubmitAnswer> {
    const response = await this.#send('POST', '/submit-tool-result', submission);
    const body = await readJson(response);
    if (isOutcome(body)) return body;
    throw toError(response, body);
  }

  status(sessionId: string): Promise<SessionStatusView> {
    return this.#get('/status', { sessionId });
  }

  sessions(query: SessionsQuery = {}): Promise<WirePage<SessionSummary>> {
    return this.#get('/sessions', query);
  }

  session(sessionId: string, query: SessionDetailQuery = {}): Promise<SessionDetailView> {
    return this.#get(`/sessions/${encodeURIComponent(sessionId)}`, query);
  }

  openCalls(query: OpenCallsQuery = {}): Promise<WirePage<OpenCallView>> {
    return this.#get('/open-calls', query);
  }

  health(): Promise<Health> {
    return this.#get('/health', {});
  }

  /**
   * The session's stream until its `end`. A connection that breaks is made again after the last chunk that came, so
   * that none is missed and none comes twice.
   */
  async *stream(
    sessionId: string,
    options: StreamOptions = {},
  ): AsyncGenerator<FeedEvent, undefined> {
    const { reconnects = 10, signal } = options;
    let after = options.after ?? 0;
    for (let broken = 0; broken <= reconnects; broken += 1) {
      if (broken > 0) await pause(Math.min(5_000, 50 * 2 ** broken), signal);
      signal?.throwIfAborted();
      try {
        for await (const event of this.#readStream(sessionId, after, signal)) {
          broken = 0;
          if (event.type === 'chunk') after = event.sequence;
          yield event;
          if (event.type === 'end') return undefined;
        }
      } catch (error) {
        // What the server refused it would refuse again.
        if (HelixError.isInstance(error) && !error.retryable) throw error;
        signal?.throwIfAborted();
      }
    }
    throw new HelixStreamError({
      code: 'stream_failed',
      message: `The stream of ${sessionId} broke ${reconnects + 1} times in a row at chunk ${after}; read on after it.`,
    });
  }

  async *#readStream(
    sessionId: string,
    after: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<FeedEvent, undefined> {
    const path = `/sse${toQuery({ sessionId })}`;
    const headers = after > 0 ? { 'last-event-id': String(after) } : {};
    const response = await this.#send('GET', path, undefined, headers, signal);
    if (!response.ok || !response.body) throw toError(response, await readJson(response));
    for await (const event of parseEvents(response.body)) {
      const read = toFeedEvent(event);
      if (read) yield read;
    }
    return undefined;
  }

  async #get<T>(path: string, query: object): Promise<T> {
    return this.#answer(await this.#send('GET', `${path}${toQuery(query)}`));
  }

  async #post<T>(path: string, body: object): Promise<T> {
    return this.#answer(await this.#send('POST', path, body));
  }

  async #answer<T>(response: Response): Promise<T> {
    const body = await readJson(response);
    if (!response.ok || body === null) throw toError(response, body);
    return body as T;
  }

  async #send(
    method: string,
    path: string,
    body?: object,
    headers: { readonly [name: string]: string } = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const { baseUrl, token, headers: own } = this.#options;
    const bearer = typeof token === 'function' ? await token() : token;
    return this.#fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      redirect: 'error',
      headers: {
        ...own,
        ...headers,
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }
}

function toFeedEvent({ id, event, data }: ServerEvent): FeedEvent | null {
  const parsed = JSON.parse(data) as never;
  if (event === 'message') return { type: 'chunk', sequence: Number(id), chunk: parsed };
  return event === 'end' || event === 'truncated' ? { type: event, data: parsed } : null;
}

function toQuery(query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

/** Null: it is no JSON. A connection that breaks in the body rejects, as one that breaks before it: nobody knows the answer. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toError({ status, headers }: Response, body: unknown): HelixError {
  const { error, code, ...rest } = (body ?? {}) as Partial<ErrorAnswer>;
  if (status === 413) {
    const limit = Number(headers.get('x-max-body-bytes'));
    return new HelixPayloadTooLargeError({ maxBytes: limit > 0 ? limit : null });
  }
  const isRefusal = status >= 400 && status < 500;
  return new AgentServerError(status, {
    error: typeof error === 'string' ? error : `The server answered ${status}.`,
    code: typeof code === 'string' ? code : isRefusal ? 'INVALID_REQUEST' : 'UNAVAILABLE',
    ...rest,
  });
}

function isOutcome(body: unknown): body is SubmitAnswer {
  return typeof body === 'object' && body !== null && 'status' in body;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
