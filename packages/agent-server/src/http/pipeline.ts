import type { z } from 'zod';
import { checkBinding, maySee } from '../auth/access.ts';
import { askHook, type Authenticate, type Principal } from '../auth/authenticate.ts';
import type { ServerParts } from '../parts.ts';
import { SessionId } from '../schemas.ts';
import { checkBodyHeaders, checkContentType, readJsonBody, type ReadBody } from './body.ts';
import { checkSameOrigin, type Cors } from './cors.ts';
import { errorResponse } from './error-response.ts';
import { HttpRefusal, invalidRequest, notFound, unavailable } from './respond.ts';
import type { AnyRoute, RouteMatch } from './route.ts';

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
    return cors.decorate(request, errorResponse(error, parts.logger, operation));
  }
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
  const sent = body?.ok ? body.value : undefined;
  const query = readQuery(new URL(request.url).searchParams);
  const pathId = pathParameter === undefined ? undefined : decodeId(pathParameter);
  const principal = await authenticate(pipeline, request, route, {
    path,
    query,
    body: sent,
    sessionId: pathId ?? namedSession(sent) ?? namedSession(query),
  });
  if (pathParameter !== undefined && pathId === undefined) {
    throw invalidRequest('sessionId', 'the path holds no valid session id');
  }
  if (body && !body.ok) throw invalidRequest('', body.fault);
  const parsedQuery = parse(pipeline, route.query, query);
  const parsedBody = parse(pipeline, route.body, fillSession(sent, pathId));
  const sessionId = oneSession([pathId, namedSession(parsedBody), namedSession(parsedQuery)]);
  if (route.operation !== null && needsBinding(route)) checkBinding(principal, sessionId);
  return route.handle({
    principal,
    sees: (session) => maySee(principal, session),
    sessionId,
    query: parsedQuery,
    body: parsedBody,
    headers: request.headers,
    toRequest: () => withBody(request, sent),
  });
}

/** Listings narrow themselves; the document is nobody's. */
function needsBinding(route: AnyRoute): boolean {
  return !['list-sessions', 'list-open-calls', 'openapi'].includes(route.operation ?? '');
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
  seen: {
    readonly path: string;
    readonly query: Query;
    readonly body: unknown;
    readonly sessionId: string | undefined;
  },
): Promise<Principal> {
  if (hook === null || route.operation === null) return { access: 'all' };
  const { method, url, headers } = request;
  const asked = {
    ...seen,
    method,
    query: firstValues(seen.query),
    headers: Object.fromEntries(headers),
    operation: route.operation,
    // Few hooks want it, and it is not for nothing.
    get request() {
      return new Request(url, { method, headers });
    },
  };
  return askHook(hook, asked, authenticateTimeoutMs, parts.logger);
}

type Query = { readonly [name: string]: string | readonly string[] };

/** A parameter given twice is a list, which no schema takes: nobody can name two sessions at once. */
function readQuery(parameters: URLSearchParams): Query {
  const names = new Set(parameters.keys());
  const entries = [...names].map((name): [string, string | string[]] => {
    const [first = '', ...others] = parameters.getAll(name);
    return [name, others.length > 0 ? [first, ...others] : first];
  });
  return Object.fromEntries(entries);
}

function firstValues(query: Query): { readonly [name: string]: string | undefined } {
  const entries = Object.entries(query).map(([name, value]) => [name, [value].flat()[0]]);
  return Object.fromEntries(entries) as { [name: string]: string | undefined };
}

/** Undefined where it is no id; that is said after authentication. */
function decodeId(parameter: string): string | undefined {
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

function parse(pipeline: PipelineParts, schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const details = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new HttpRefusal(400, {
    error: 'The request is not valid; details says what to correct.',
    code: 'INVALID_REQUEST',
    details,
    ...(pipeline.verboseValidationErrors && { issues }),
  });
}

/** The body was read: whoever handles the request gets it once more. */
function withBody(request: Request, body: unknown): Request {
  const { url, method } = request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(url, {
    method: method === 'HEAD' ? 'GET' : method,
    headers,
    signal: request.signal,
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  });
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
