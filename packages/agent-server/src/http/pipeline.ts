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
  type ReadBody,
} from '@helix-agents/http';
import { checkBinding, maySee } from '../auth/access.ts';
import { askHook, type Authenticate, type Principal } from '../auth/authenticate.ts';
import type { ServerParts } from '../parts.ts';
import { SessionId } from '../schemas.ts';
import { checkSameOrigin, type Cors } from './cors.ts';
import { firstValues, readQuery, type Query } from './query.ts';
import type { AnyRoute, Call, RouteMatch } from './route.ts';

export interface PipelineParts {
  readonly parts: ServerParts;
  readonly match: (path: string) => RouteMatch | null;
  readonly cors: Cors;
  /** Null: the server was told to let everybody in. */
  readonly authenticate: Authenticate | null;
  readonly authenticateTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly verboseValidationErrors: boolean;
  readonly isClosing: () => boolean;
}

/**
 * One request from its first header to its answer, in this order and no other: route, length and size gates, content
 * type, origin, body, authenticate, schemas, session binding, handler. Nothing is looked up before authenticate said yes.
 */
export async function handleRequest(
  pipeline: PipelineParts,
  request: Request,
  path: string,
): Promise<Response> {
  const { cors, parts } = pipeline;
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
    return cors.decorate(request, request.method === 'HEAD' ? withoutBody(response) : response);
  } catch (error) {
    warnOfSize(parts, error, operation);
    const answer = errorResponse(error, (failure) =>
      parts.logger.error('server.request_failed', { operation, ...failure }),
    );
    return cors.decorate(request, answer);
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
  const body = route.method === 'POST' ? await receiveBody(pipeline, request, route) : null;
  const query = readQuery(new URL(request.url).searchParams);
  const sent = { body, json: body?.ok ? body.value : undefined, query, pathParameter };
  const principal = await authenticate(pipeline, request, route, path, sent);
  const checked = checkSent(pipeline, route, sent);
  if (route.operation !== null && route.needsBinding !== false) {
    checkBinding(principal, checked.sessionId);
  }
  return route.handle({
    ...checked,
    principal,
    sees: (session) => maySee(principal, session),
    headers: request.headers,
    sentBody: sent.json,
    toRequest: () => withBody(request, body?.ok ? body.bytes : null),
  });
}

/** A request as it came, before anything of it was refused for its shape. */
interface Sent {
  readonly body: ReadBody | null;
  /** Of the body; undefined where it is no JSON. */
  readonly json: unknown;
  readonly query: Query;
  /** Still encoded. */
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
  const sessionId = oneSession([pathId, namedSession(parsedBody), namedSession(parsedQuery)]);
  return { query: parsedQuery, body: parsedBody, sessionId };
}

async function receiveBody(
  { parts, cors, bodyTimeoutMs }: PipelineParts,
  request: Request,
  route: AnyRoute,
): Promise<ReadBody> {
  const maxBytes = route.maxBodyBytes ?? parts.bodyBytes;
  const declared = checkBodyHeaders(request.headers, maxBytes);
  const isEmpty = declared === 0 || (declared === null && request.body === null);
  if (!isEmpty || request.headers.has('content-type')) checkContentType(request.headers);
  checkSameOrigin(request, cors);
  return readJsonBody(request.body, declared, { maxBytes, timeoutMs: bodyTimeoutMs });
}

async function authenticate(
  { authenticate: hook, authenticateTimeoutMs, parts }: PipelineParts,
  request: Request,
  route: AnyRoute,
  path: string,
  { json: body, query, pathParameter }: Sent,
): Promise<Principal> {
  if (hook === null || route.operation === null) return { access: 'all' };
  const { method, url, headers } = request;
  const asked = {
    method,
    path,
    query: firstValues(query),
    body,
    sessionId: decodeId(pathParameter) ?? namedSession(body) ?? namedSession(query),
    headers: Object.fromEntries(headers),
    operation: route.operation,
    // Few hooks want it, and it is not for nothing.
    get request() {
      return new Request(url, { method, headers });
    },
  };
  return askHook(hook, asked, authenticateTimeoutMs, parts.logger);
}

/** Undefined where there is none, and where it is no id: that is said after authentication. */
function decodeId(parameter: string | undefined): string | undefined {
  if (parameter === undefined) return undefined;
  try {
    return SessionId.safeParse(decodeURIComponent(parameter)).data;
  } catch {
    return undefined;
  }
}

/** `sessionId`, or `id` as chat clients call it. */
function namedSession(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { sessionId, id } = value as { sessionId?: unknown; id?: unknown };
  const named = sessionId ?? id;
  return typeof named === 'string' ? named : undefined;
}

/** The path names the session of a body that leaves it out. */
function fillSession(body: unknown, pathId: string | undefined): unknown {
  if (pathId === undefined || typeof body !== 'object' || body === null) return body;
  return Array.isArray(body) || 'sessionId' in body ? body : { ...body, sessionId: pathId };
}

function oneSession(named: readonly (string | undefined)[]): string | undefined {
  const ids = new Set(named.filter((id) => id !== undefined));
  if (ids.size > 1) throw invalidRequest('sessionId', 'path, body and query name different ones');
  return [...ids][0];
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
