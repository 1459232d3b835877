import {
  checkBodyHeaders,
  checkContentType,
  errorResponse,
  HttpRefusal,
  MAX_BODY_BYTES_HEADER,
  invalidRequest,
  notFound,
  parseValue,
  readJsonBody,
  unavailable,
  type BodyHold,
  type ReadBody,
} from '@helix-agents/http';
import { checkBinding, checkListing, maySee } from '../auth/access.ts';
import { askHook, type Authenticate, type Caller } from '../auth/authenticate.ts';
import type { ServerParts } from '../parts.ts';
import { checkSameOrigin, type Cors } from './cors.ts';
import { decodeId, fillSession, namedSession, oneSession } from './named-session.ts';
import { firstValues, readQuery, type Query } from './query.ts';
import { markReply, speaksProtocol } from './protocol.ts';
import type { AnyRoute, Call, RouteMatch } from './route.ts';

export interface PipelineParts {
  readonly parts: ServerParts;
  readonly match: (path: string) => RouteMatch | null;
  readonly cors: Cors;
  /** Null: the server was told to let everybody in. */
  readonly authenticate: Authenticate | null;
  readonly authenticateBeforeBody: boolean;
  readonly authenticateTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly trustProxy: boolean;
  readonly verboseValidationErrors: boolean;
  readonly isClosing: () => boolean;
}

/**
 * One request from its first header to its answer, in this order and no other: route, length and size gates, content
 * type, origin, body, authenticate, schemas, session binding, handler. The body comes after authenticate where the server
 * was told so. Nothing is looked up before authenticate said yes.
 */
export async function handleRequest(
  pipeline: PipelineParts,
  request: Request,
  path: string,
): Promise<Response> {
  const { cors, parts } = pipeline;
  const decorate = (response: Response): Response =>
    cors.decorate(request, markReply(request, response, parts.now()));
  let operation = 'none';
  try {
    const matched = pipeline.match(path);
    if (!matched) throw notFound(`There is no ${path.slice(0, 200)} here; see /openapi.json.`);
    const methods = methodsOf(matched);
    if (request.method === 'OPTIONS') return cors.preflight(request, methods);
    const wanted = request.method === 'HEAD' ? 'GET' : request.method;
    const route = matched.routes.get(wanted);
    if (!route) throw methodNotAllowed(methods);
    operation = route.operation ?? route.path;
    const response = await run(pipeline, request, path, route, matched.sessionId);
    return decorate(request.method === 'HEAD' ? withoutBody(response) : response);
  } catch (error) {
    warnOfSize(parts, error, operation);
    const answer = errorResponse(error, (failure) =>
      parts.logger.error('server.request_failed', { operation, ...failure }),
    );
    return decorate(answer);
  }
}

/** An answer that is lost for its size is worth a line: nobody else hears of it. */
function warnOfSize({ logger }: ServerParts, error: unknown, operation: string): void {
  if (operation !== 'submit-tool-result') return;
  if (!(error instanceof HttpRefusal) || error.status !== 413) return;
  logger.warn('submit_tool_result.body_too_large', {
    maxBytes: Number(error.headers[MAX_BODY_BYTES_HEADER]),
  });
}

async function run(
  pipeline: PipelineParts,
  request: Request,
  path: string,
  route: AnyRoute,
  pathParameter: string | undefined,
): Promise<Response> {
  if (pipeline.isClosing() && route.operation !== null) {
    throw unavailable('This server is shutting down; send the request again.');
  }
  const isDelegated = speaksProtocol(request.headers);
  const url = new URL(request.url);
  const asked = { request, route, path, query: readQuery(url.searchParams), pathParameter };
  const { sent, caller } = await admit(pipeline, asked);
  const { body } = sent;
  const { principal } = caller;
  const checked = checkSent(pipeline, route, sent);
  if (route.operation !== null && route.needsBinding !== false) {
    checkBinding(principal, checked.sessionId);
  }
  if (route.isListing) checkListing(caller, checked.sessionId);
  return route.handle({
    ...checked,
    principal,
    sees: (session) => maySee(principal, session),
    headers: request.headers,
    isDelegated,
    isSecure: url.protocol === 'https:' || (pipeline.trustProxy && isForwardedSecure(request)),
    sentBody: sent.json,
    toRequest: () => withBody(request, body?.ok ? body.bytes : null),
  });
}

/** A request of which nothing but the headers was read. */
interface Asked {
  readonly request: Request;
  readonly route: AnyRoute;
  readonly path: string;
  readonly query: Query;
  /** Still encoded. */
  readonly pathParameter: string | undefined;
}

/** Reads the body and asks who it is, in the order the server was told. What is read counts until the sender was let in. */
async function admit(
  pipeline: PipelineParts,
  asked: Asked,
): Promise<{ readonly sent: Sent; readonly caller: Caller }> {
  const { query, pathParameter } = asked;
  const hold = pipeline.parts.bodyBudget.open();
  const receive = async (): Promise<Sent> => {
    const body = await receiveBody(pipeline, asked, hold);
    return { body, json: body?.ok ? body.value : undefined, query, pathParameter };
  };
  try {
    if (pipeline.authenticateBeforeBody) {
      checkHeaders(pipeline, asked);
      const caller = await authenticate(pipeline, asked, undefined);
      return { sent: await receive(), caller };
    }
    const sent = await receive();
    return { sent, caller: await authenticate(pipeline, asked, sent.json) };
  } finally {
    hold.release();
  }
}

/** As the proxy nearest to this server says, which is the last to add to the list. */
function isForwardedSecure({ headers }: Request): boolean {
  return headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https';
}

/** A request as it came, before anything of it was refused for its shape. */
interface Sent {
  readonly body: ReadBody | null;
  /** Of the body; undefined where it is no JSON. */
  readonly json: unknown;
  readonly query: Query;
  readonly pathParameter: string | undefined;
}

/** What is wrong with its shape is said to callers that were let in, not before. */
function checkSent(
  { verboseValidationErrors }: PipelineParts,
  route: AnyRoute,
  { body, json, query, pathParameter }: Sent,
): Pick<Call, 'query' | 'body' | 'sessionId'> {
  const pathId = decodeId(pathParameter);
  if (pathParameter !== undefined && pathId === undefined) {
    throw invalidRequest('sessionId', 'the path holds no valid session id');
  }
  if (body && !body.ok) throw invalidRequest('', body.fault);
  const options = { withIssues: verboseValidationErrors };
  const parsedQuery = route.query && parseValue(route.query, query, options);
  const parsedBody = route.body && parseValue(route.body, fillSession(json, pathId), options);
  const naming = { pathId, body: parsedBody, query: parsedQuery };
  const sessionId = oneSession(route, naming, query);
  return { query: parsedQuery, body: parsedBody, sessionId };
}

/** Refuses a body by its headers alone. Returns its declared length, null when there is none. */
function checkHeaders({ parts, cors }: PipelineParts, { request, route }: Asked): number | null {
  if (route.method !== 'POST') return null;
  const declared = checkBodyHeaders(request.headers, route.maxBodyBytes ?? parts.bodyBytes);
  const isEmpty = declared === 0 || (declared === null && request.body === null);
  if (!isEmpty || request.headers.has('content-type')) checkContentType(request.headers);
  checkSameOrigin(request, cors);
  return declared;
}

async function receiveBody(
  pipeline: PipelineParts,
  asked: Asked,
  hold: BodyHold,
): Promise<ReadBody | null> {
  const { request, route } = asked;
  if (route.method !== 'POST') return null;
  const declared = checkHeaders(pipeline, asked);
  const maxBytes = route.maxBodyBytes ?? pipeline.parts.bodyBytes;
  const limits = { maxBytes, timeoutMs: pipeline.bodyTimeoutMs };
  return readJsonBody(request.body, declared, limits, hold);
}

/** `body` is undefined where it was not read yet, and where it is no JSON. */
async function authenticate(
  { authenticate: hook, authenticateTimeoutMs, parts }: PipelineParts,
  { request, route, path, query, pathParameter }: Asked,
  body: unknown,
): Promise<Caller> {
  if (hook === null || route.operation === null) {
    return { principal: { access: 'all' }, isUnnamed: false };
  }
  const { method, url, headers } = request;
  const shown = {
    method,
    path,
    query: firstValues(query),
    body,
    sessionId: namedSession(route, { pathId: decodeId(pathParameter), body, query }),
    headers: Object.fromEntries(headers),
    operation: route.operation,
    // Few hooks want it, and it is not for nothing.
    get request() {
      return new Request(url, { method, headers });
    },
  };
  return askHook(hook, shown, authenticateTimeoutMs, parts.logger);
}

/** For handlers that read it themselves: the bytes that came, behind the headers that came with them. */
function withBody(request: Request, body: Uint8Array<ArrayBuffer> | null): Request {
  const { url, headers, signal } = request;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return new Request(url, { method, headers, signal, ...(body && { body }) });
}

function withoutBody(response: Response): Response {
  response.body?.cancel().catch(() => undefined);
  return new Response(null, { status: response.status, headers: response.headers });
}

function methodsOf({ routes }: RouteMatch): readonly string[] {
  const methods = [...routes.keys()];
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

function methodNotAllowed(methods: readonly string[]): HttpRefusal {
  const allow = methods.join(', ');
  return new HttpRefusal(405, { error: `Use ${allow}.`, code: 'METHOD_NOT_ALLOWED' }, { allow });
}
