import {
  DefinitionError,
  type AbortResult,
  type InterruptResult,
  type SubmitOutcome,
  type SubmitToolResultInput,
} from '@helix-agents/core';
import { refuseUnknownOptions } from '@helix-agents/core/host';
import { DEFAULT_BODY_LIMITS } from '@helix-agents/http';
import { createExpressAdapter, type ExpressHandler } from './adapters/express-adapter.ts';
import { createHttpAdapter, type FetchHandler } from './adapters/http-adapter.ts';
import {
  listOpenCalls,
  listSessions,
  readDetail,
  readSession,
  readStatus,
} from './commands/read-session.ts';
import { resumeAgent } from './commands/resume-agent.ts';
import { startAgent } from './commands/start-agent.ts';
import { SERVER_OPTIONS } from './config-names.ts';
import type { AgentServerConfig } from './config.ts';
import { createCors } from './http/cors.ts';
import { handleRequest, type PipelineParts } from './http/pipeline.ts';
import { createRateLimits } from './http/rate-limit.ts';
import { notConfigured } from './http/not-configured.ts';
import { createRouter, type AnyRoute } from './http/route.ts';
import { openApiDocument, type OpenApiDocument } from './openapi.ts';
import { createParts, type ServerParts } from './parts.ts';
import { chatRoutes } from './routes/chat-routes.ts';
import { readRoutes } from './routes/read-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { documentRoute, healthRoute } from './routes/server-routes.ts';
import { sseRoute } from './routes/sse-route.ts';
import { submitRoute } from './routes/submit-route.ts';
import { announceWhatIsStored, openFeed, type SessionFeed } from './sse/session-feed.ts';
import type {
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
  WirePage,
} from './wire.ts';

const AUTHENTICATE_TIMEOUT_MS = 10_000;
const DRAIN_GRACE_MS = 10_000;

const everything = (): boolean => true;

/**
 * Agents over HTTP. `fetch` takes a web request and answers it: mount it in Hono, Next or a Worker, or serve it with
 * `createNodeListener` and `createExpressAdapter`. The methods do what the routes do, for the server's own code: they ask
 * nobody who is calling.
 *
 * @example
 * const server = new AgentServer({ agents: { assistant }, executor, stateStore, streamManager, authenticate });
 * createServer(createNodeListener(server)).listen(3000);
 */
export class AgentServer implements FetchHandler {
  readonly #parts: ServerParts;
  readonly #pipeline: PipelineParts;
  readonly #document: OpenApiDocument;
  readonly #underWay = new Set<Promise<Response>>();
  #closing: Promise<void> | null = null;

  constructor(config: AgentServerConfig) {
    checkConfig(config);
    this.#parts = createParts(config);
    const { logger, now } = this.#parts;
    if (!config.authenticate) warnUnauthenticated(this.#parts, config.serviceName);
    const limits = createRateLimits(config.rateLimit ?? {}, now, logger);
    const routes: readonly AnyRoute[] = [
      ...runRoutes(this.#parts, limits.start, config.sessionTokens),
      submitRoute(this.#parts, limits.submit, '/submit-tool-result'),
      sseRoute(this.#parts),
      ...readRoutes(this.#parts),
      ...chatRoutes(this.#parts, limits, config.resumeCookie),
      healthRoute(config.serviceName, () => this.#closing !== null),
      documentRoute(() => this.#document),
    ];
    this.#document = openApiDocument(routes, config.serviceName ?? 'Helix agent server');
    this.#pipeline = {
      parts: this.#parts,
      match: createRouter(routes),
      cors: createCors(config.cors, logger),
      authenticate: config.authenticate ?? null,
      authenticateBeforeBody: config.authenticateBeforeBody ?? false,
      authenticateTimeoutMs: config.authenticateTimeoutMs ?? AUTHENTICATE_TIMEOUT_MS,
      bodyTimeoutMs: config.bodyTimeoutMs ?? DEFAULT_BODY_LIMITS.timeoutMs,
      trustProxy: config.trustProxy ?? false,
      verboseValidationErrors: config.verboseValidationErrors ?? false,
      isClosing: () => this.#closing !== null,
    };
  }

  /** Bound, so that it can be handed on by itself. Never rejects. */
  readonly fetch = (request: Request): Promise<Response> =>
    this.handle(request, new URL(request.url).pathname);

  /** As `fetch`, with the path the routes are matched with: for servers mounted under a prefix. */
  handle(request: Request, path: string): Promise<Response> {
    const answer = handleRequest(this.#pipeline, request, path);
    this.#underWay.add(answer);
    return answer.finally(() => this.#underWay.delete(answer));
  }

  /** Whether there is a route for this path. */
  handles(path: string): boolean {
    return this.#pipeline.match(path) !== null;
  }

  /** All routes; with a path, the chat routes alone, under that path. What it has no route for goes to `next`. */
  toExpressMiddleware(chatPath?: string): ExpressHandler {
    if (chatPath === undefined) return createExpressAdapter(this);
    const chatOnly: FetchHandler = {
      fetch: this.fetch,
      handle: (request, path) => this.handle(request, path),
      handles: (path) => /^\/chat($|\/)/.test(path) && this.handles(path),
    };
    return createExpressAdapter(
      createHttpAdapter(chatOnly, { basePath: chatPath, routesUnder: '/chat' }),
    );
  }

  /** The OpenAPI 3.1 document of every route; served as `/openapi.json`. */
  get openApi(): OpenApiDocument {
    return this.#document;
  }

  startAgent(request: StartRequest & { readonly userId?: string }): Promise<SessionStarted> {
    return startAgent(this.#parts, request, everything);
  }

  resumeAgent(request: ResumeRequest): Promise<RunStarted> {
    return resumeAgent(this.#parts, request, everything);
  }

  /** Chunks after a number, then live, then how the session stands. Close it, or read it to its end. */
  async streamAgent(request: {
    readonly sessionId: string;
    readonly afterSequence?: number;
  }): Promise<SessionFeed> {
    const session = await readSession(this.#parts, request.sessionId, everything);
    await announceWhatIsStored(this.#parts, session);
    return openFeed(this.#parts, session, request.afterSequence ?? 0);
  }

  getStatus(sessionId: string): Promise<SessionStatusView> {
    return readStatus(this.#parts, sessionId, everything);
  }

  getSession(sessionId: string, query: SessionDetailQuery = {}): Promise<SessionDetailView> {
    return readDetail(this.#parts, sessionId, query, everything);
  }

  listSessions(query: SessionsQuery = {}): Promise<WirePage<SessionSummary>> {
    return listSessions(this.#parts, query);
  }

  listOpenCalls(query: OpenCallsQuery = {}): Promise<WirePage<OpenCallView>> {
    return listOpenCalls(this.#parts, query);
  }

  async interruptAgent({ sessionId, reason }: StopRequest): Promise<InterruptResult> {
    return this.#parts.executor().interrupt(sessionId, reason);
  }

  async abortAgent({ sessionId, reason }: StopRequest): Promise<AbortResult> {
    return this.#parts.executor().abort(sessionId, reason);
  }

  async submitToolResult(
    submission: SubmitToolResultInput,
    options: { answeredBy?: string } = {},
  ): Promise<SubmitOutcome> {
    const executor = this.#parts.executor();
    if (!executor.submitToolResult) throw notConfigured('an executor that takes answers');
    const { maxResultBytes } = this.#parts;
    return executor.submitToolResult(submission, { ...options, maxResultBytes });
  }

  /**
   * Refuses what comes from now on, ends the streams so that their readers go on elsewhere, and waits for what is under
   * way. Runs are the executor's: shut it down after this.
   */
  close(options: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#closing ??= this.#drain(options.graceMs ?? DRAIN_GRACE_MS));
  }

  async #drain(graceMs: number): Promise<void> {
    for (const feed of this.#parts.openFeeds) feed.close();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.allSettled(this.#underWay), late]);
    clearTimeout(timer);
    // Those that were being opened.
    for (const feed of this.#parts.openFeeds) feed.close();
  }
}

function checkConfig(config: AgentServerConfig): void {
  refuseUnknownOptions('AgentServer', config, SERVER_OPTIONS);
  const { authenticate, allowUnauthenticated } = config;
  if (authenticate !== undefined && typeof authenticate !== 'function') {
    throw new DefinitionError('authenticate must be a function.');
  }
  if (authenticate || allowUnauthenticated === true) return;
  throw new DefinitionError(
    'AgentServer needs to know who may call it: hand in authenticate, or allowUnauthenticated: true where a proxy in ' +
      'front of it decides.',
  );
}

/** Told twice: an application without a logger must see it too. */
function warnUnauthenticated({ logger }: ServerParts, serviceName: string | undefined): void {
  const hint = 'anybody who reaches this server can read and change every session';
  logger.warn('server.unauthenticated', { hint });
  const name = serviceName === undefined ? '' : ` "${serviceName}"`;
  // oxlint-disable-next-line no-console
  console.warn(`AgentServer${name} runs without authentication: ${hint}.`);
}
