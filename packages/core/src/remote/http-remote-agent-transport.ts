import type { z } from 'zod';
import { refuseUnknownOptions, type OptionNames } from '../define/refuse-unknown.ts';
import type { AbortResult } from '../engine/human/abort.ts';
import type { InterruptResult } from '../engine/human/interrupt.ts';
import type { SubmitOutcome } from '../engine/human/submit.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import {
  RemoteRefusedError,
  RemoteReplyError,
  RemoteUnreachableError,
} from '../errors/remote-errors.ts';
import { DefinitionError } from '../errors/setup-errors.ts';
import type { JsonValue } from '../json.ts';
import { utf8Length } from '../util/to-json-value.ts';
import { readReply } from './read-reply.ts';
import type {
  RemoteAgentTransport,
  RemoteEvent,
  RemoteRequestOptions,
  RemoteRun,
  RemoteStart,
  RemoteStatus,
  RemoteSubmission,
} from './remote-agent-transport.ts';
import { readEvents } from './remote-events.ts';
import { REMOTE_LIMITS, type RemoteLimits } from './remote-limits.ts';
import {
  AbortReply,
  InterruptReply,
  RunReply,
  StatusReply,
  SubmitReply,
} from './remote-schemas.ts';
import { sendRequest, toRefusal, type RemoteAddress, type RemoteRequest } from './send-request.ts';

export interface HttpRemoteAgentTransportOptions {
  /** Where the other `AgentServer` is, with its prefix: `https://agents.example.com/api`. */
  readonly url?: string;
  /** Another name of `url`. */
  readonly baseUrl?: string;
  /** Sent as `Authorization: Bearer`; asked for anew for each request when it is a function. */
  readonly token?: string | (() => string | Promise<string>);
  readonly headers?: { readonly [name: string]: string };
  readonly limits?: Partial<RemoteLimits>;
  readonly fetch?: typeof fetch;
  /** The clock here, in milliseconds. */
  readonly now?: () => number;
}

const OPTIONS: OptionNames<HttpRemoteAgentTransportOptions> = {
  of: 'HttpRemoteAgentTransport',
  known: {
    url: true,
    baseUrl: true,
    token: true,
    headers: true,
    limits: true,
    fetch: true,
    now: true,
  },
  otherNames: { apiKey: 'token', endpoint: 'url', timeoutMs: 'limits' },
};

const LIMITS: OptionNames<RemoteLimits> = {
  of: 'limits',
  known: {
    requestBytes: true,
    replyBytes: true,
    chunkBytes: true,
    openCalls: true,
    replyMs: true,
    silentMs: true,
  },
};

/** A start that is under way for longer than this is refused when it arrives. */
const START_COUNTS_MS = 60_000;

/**
 * Agents of another `AgentServer`, over HTTP. Nothing that comes from there is trusted: replies are limited in size and time and
 * checked, and the token goes to no other origin.
 *
 * @example
 * const transport = new HttpRemoteAgentTransport({ url: 'https://agents.example.com', token: () => readToken() });
 */
export class HttpRemoteAgentTransport implements RemoteAgentTransport {
  readonly #address: RemoteAddress;
  readonly #now: () => number;
  /** How far the clock there is ahead of ours; null: nothing was heard from there yet. */
  #ahead: number | null = null;

  constructor(options: HttpRemoteAgentTransportOptions) {
    refuseUnknownOptions('HttpRemoteAgentTransport', options, OPTIONS);
    this.#now = options.now ?? Date.now;
    this.#address = addressOf(options);
  }

  /** The clock there says until when it counts, so it is asked for first where it is not known. */
  async start(request: RemoteStart, options: RemoteRequestOptions = {}): Promise<RemoteRun> {
    if (this.#ahead === null) await this.status(request.sessionId, options);
    try {
      return await this.#start(request, options);
    } catch (error) {
      const isLate = RemoteRefusedError.isInstance(error) && error.remoteCode === 'START_TOO_LATE';
      if (!isLate) throw error;
      // One of the clocks was set: the refusal told the time there.
      return this.#start(request, options);
    }
  }

  async #start(request: RemoteStart, options: RemoteRequestOptions): Promise<RemoteRun> {
    const { sessionId, agentType, message } = request;
    const notAfter = this.#now() + (this.#ahead ?? 0) + START_COUNTS_MS;
    const body = { sessionId, agentType, message, notAfter };
    return ofSession(sessionId, await this.#post('/start', body, RunReply, options));
  }

  async status(
    sessionId: string,
    options: RemoteRequestOptions = {},
  ): Promise<RemoteStatus | null> {
    const path = `/status?${new URLSearchParams({ sessionId })}`;
    const { response, read } = await this.#send({ method: 'GET', path }, options);
    if (response.status === 404) return this.#unlessNoRoute(response);
    const status = ofSession(sessionId, await read(StatusReply));
    const { openCalls } = this.#address.limits;
    if (status.openCalls.length <= openCalls) return status;
    throw new RemoteReplyError(`The status of ${sessionId} has more than ${openCalls} open calls.`);
  }

  async *stream(
    sessionId: string,
    options: RemoteRequestOptions & { readonly after?: number } = {},
  ): AsyncGenerator<RemoteEvent, undefined> {
    const { after = 0, signal } = options;
    const { limits } = this.#address;
    const path = `/sse?${new URLSearchParams({ sessionId, after: String(after) })}`;
    // The time of a reply counts until the stream is open; then it is silence that counts.
    const stop = new AbortController();
    const forward = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) forward();
    signal?.addEventListener('abort', forward, { once: true });
    const timer = setTimeout(() => stop.abort(timeIsOver(limits)), limits.replyMs);
    try {
      const request = { method: 'GET', path, signal: stop.signal } as const;
      const response = await this.#reply(request);
      clearTimeout(timer);
      if (!response.ok) throw await toRefusal(response, this.#address);
      if (!response.body) throw new RemoteReplyError('A stream has no body.');
      yield* readEvents(response.body, { sessionId, after, limits });
      return undefined;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', forward);
      stop.abort();
    }
  }

  async submit(
    submission: RemoteSubmission,
    options: RemoteRequestOptions = {},
  ): Promise<SubmitOutcome> {
    const body = this.#body(submission);
    const request = { method: 'POST', path: '/submit-tool-result', body } as const;
    const { response, read } = await this.#send(request, options);
    // What became of it comes with these, too.
    const isOutcome = response.status === 404 || response.status === 410;
    return read(SubmitReply, isOutcome);
  }

  async resume(
    request: { readonly sessionId: string; readonly runId?: string },
    options: RemoteRequestOptions = {},
  ): Promise<RemoteRun | null> {
    try {
      return ofSession(request.sessionId, await this.#post('/resume', request, RunReply, options));
    } catch (error) {
      const isOver = RemoteRefusedError.isInstance(error) && OVER.has(error.remoteCode);
      if (isOver) return null;
      throw error;
    }
  }

  interrupt(
    request: { readonly sessionId: string; readonly runId?: string; readonly reason?: string },
    options: RemoteRequestOptions = {},
  ): Promise<InterruptResult> {
    return this.#post('/interrupt', request, InterruptReply, options);
  }

  abort(
    request: { readonly sessionId: string; readonly reason?: string },
    options: RemoteRequestOptions = {},
  ): Promise<AbortResult> {
    return this.#post('/abort', request, AbortReply, options);
  }

  async #post<T>(
    path: string,
    body: object,
    schema: z.ZodType<T>,
    options: RemoteRequestOptions,
  ): Promise<T> {
    const request = { method: 'POST', path, body: this.#body(body) } as const;
    return (await this.#send(request, options)).read(schema);
  }

  #body(value: object): string {
    const text = JSON.stringify(value);
    const { requestBytes } = this.#address.limits;
    if (utf8Length(text) <= requestBytes) return text;
    const message = `a request to another server is at most ${requestBytes} bytes`;
    throw new InvalidRequestError([{ path: '', message }]);
  }

  /** The reply, and a way to read it once. */
  async #send(
    request: Omit<RemoteRequest, 'signal'>,
    { signal }: RemoteRequestOptions,
  ): Promise<{
    readonly response: Response;
    readonly read: <T>(schema: z.ZodType<T>, isOutcome?: boolean) => Promise<T>;
  }> {
    const { limits } = this.#address;
    const late = AbortSignal.timeout(limits.replyMs);
    const both = signal ? AbortSignal.any([signal, late]) : late;
    const response = await this.#reply({ ...request, signal: both });
    return {
      response,
      read: async (schema, isOutcome = false) => {
        if (!response.ok && !isOutcome) throw await toRefusal(response, this.#address);
        return check(schema, await readReply(response, limits.replyBytes));
      },
    };
  }

  async #reply(request: RemoteRequest): Promise<Response> {
    const response = await sendRequest(this.#address, request);
    const there = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(there)) this.#ahead = there - this.#now();
    return response;
  }

  /** A 404 that is about the session. */
  async #unlessNoRoute(response: Response): Promise<null> {
    const refusal = await toRefusal(response, this.#address);
    if (NO_SESSION.has(refusal.remoteCode)) return null;
    throw refusal;
  }
}

const NO_SESSION: ReadonlySet<string> = new Set(['NOT_FOUND', 'session_not_found']);
const OVER: ReadonlySet<string> = new Set(['ALREADY_COMPLETED', 'session_not_resumable']);

function check<T>(schema: z.ZodType<T>, body: JsonValue): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw new RemoteReplyError('A reply has not the shape that was expected.', { cause: error });
}

function ofSession<T extends { readonly sessionId: string }>(sessionId: string, reply: T): T {
  if (reply.sessionId === sessionId) return reply;
  throw new RemoteReplyError(`A reply about ${sessionId} names another session.`);
}

function timeIsOver({ replyMs }: RemoteLimits): Error {
  return new RemoteUnreachableError(`No reply within ${replyMs} ms.`);
}

function addressOf(options: HttpRemoteAgentTransportOptions): RemoteAddress {
  const { token, headers: own = {}, limits = {} } = options;
  refuseUnknownOptions('HttpRemoteAgentTransport', limits, LIMITS);
  return {
    url: urlOf(options),
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    limits: { ...REMOTE_LIMITS, ...limits },
    headers: async () => {
      const bearer = typeof token === 'function' ? await token() : token;
      return { ...own, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) };
    },
  };
}

function urlOf({ url, baseUrl }: HttpRemoteAgentTransportOptions): string {
  const given = url ?? baseUrl;
  if (given === undefined || (url !== undefined && baseUrl !== undefined && url !== baseUrl)) {
    throw new DefinitionError('HttpRemoteAgentTransport needs one url: where the other server is.');
  }
  const parsed = URL.canParse(given) ? new URL(given) : null;
  const isPlain = parsed && parsed.search === '' && parsed.hash === '' && parsed.username === '';
  if (!isPlain || !/^https?:$/.test(parsed.protocol)) {
    throw new DefinitionError(
      'HttpRemoteAgentTransport: url must be an http or https address without query and credentials; hand in token instead.',
    );
  }
  return parsed.href.replace(/\/+$/, '');
}
