import { invalidRequest } from '@helix-agents/http';
import { SessionId } from '../schemas.ts';
import type { Query } from './query.ts';
import type { AnyRoute } from './route.ts';

/** Where a request may name its session. */
export interface Naming {
  /** Of the path, decoded. */
  readonly pathId: string | undefined;
  readonly body: unknown;
  readonly query: unknown;
}

/** The session that the route will use; undefined: the request names none where the route looks for it. */
export function namedSession(route: AnyRoute, naming: Naming): string | undefined {
  return naming.pathId ?? nameIn(route, naming);
}

/** The same; throws if the request also names a different session, even in a place where the route does not look. */
export function oneSession(route: AnyRoute, naming: Naming, sentQuery: Query): string | undefined {
  const named = namedSession(route, naming);
  if (named === undefined) return undefined;
  const others = [nameIn(route, naming), ...[sentQuery['sessionId'] ?? []].flat()];
  if (others.every((other) => other === undefined || other === named)) return named;
  throw invalidRequest('sessionId', 'path, body and query name different ones');
}

/** Undefined if there is none or it is not a valid id; an invalid id is refused after authentication. */
export function decodeId(parameter: string | undefined): string | undefined {
  if (parameter === undefined) return undefined;
  try {
    return SessionId.safeParse(decodeURIComponent(parameter)).data;
  } catch {
    return undefined;
  }
}

/** The path names the session of a body that leaves it out. */
export function fillSession(body: unknown, pathId: string | undefined): unknown {
  if (pathId === undefined || typeof body !== 'object' || body === null) return body;
  return Array.isArray(body) || 'sessionId' in body ? body : { ...body, sessionId: pathId };
}

function nameIn(
  { method, sessionFields = method === 'POST' ? ['sessionId'] : [] }: AnyRoute,
  { body, query }: Naming,
): string | undefined {
  const source = method === 'POST' ? body : query;
  if (typeof source !== 'object' || source === null) return undefined;
  for (const field of sessionFields) {
    const named: unknown = Object.hasOwn(source, field) ? Reflect.get(source, field) : undefined;
    if (named !== undefined && named !== null) return typeof named === 'string' ? named : undefined;
  }
  return undefined;
}
