import type { z } from 'zod';
import type { Operation, Principal } from '../auth/authenticate.ts';
import type { Sees } from '../commands/read-session.ts';

/** A request that was let in. */
export interface Call<Query = unknown, Body = unknown> {
  readonly principal: Principal;
  /** Whether the principal may know of a session that exists. */
  readonly sees: Sees;
  /** The session named in path, body or query: one, and the principal's where it is bound to one. */
  readonly sessionId: string | undefined;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
  /** Of a server that lets agents run here, for runs of its own. */
  readonly isDelegated: boolean;
  /** It came over TLS, as far as is known here. */
  readonly isSecure: boolean;
  /** As it was sent, parsed; undefined where the route takes none. `body` is this, checked by the route's schema. */
  readonly sentBody: unknown;
  /** The request once more, with the bytes of its body. */
  readonly toRequest: () => Request;
}

/** What an answer looks like, for the document. */
export interface AnswerShape {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly contentType?: string;
}

/** One route: everything the pipeline, the document and the client need to know about it. */
export interface Route<Query = never, Body = never> {
  readonly method: 'GET' | 'POST';
  /** With at most one parameter, `{sessionId}`. */
  readonly path: string;
  /** Null: answered without asking who it is. */
  readonly operation: Operation | null;
  /**
   * Fields that name the session, first come first: what else a request names, the route does not look at. By default
   * `sessionId` of a body, and nothing of a query.
   */
  readonly sessionFields?: readonly string[];
  /** Shows sessions that the request does not name: a caller that is known by nothing does not see them. */
  readonly isListing?: boolean;
  /**
   * False: also open to a token of one session, whatever the request names. For listings, which narrow themselves, and
   * for what belongs to nobody. True by default.
   */
  readonly needsBinding?: boolean;
  readonly summary: string;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Largest body; the server's by default. */
  readonly maxBodyBytes?: number;
  readonly answers: { readonly [status: number]: AnswerShape };
  handle(call: Call<Query, Body>): Promise<Response>;
}

/** A route whose types were checked where it was made. */
export type AnyRoute = Omit<Route, 'query' | 'body' | 'handle'> & {
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  handle(call: Call): Promise<Response>;
};

export function route<Query = unknown, Body = unknown>(definition: Route<Query, Body>): AnyRoute {
  return definition as AnyRoute;
}

export interface RouteMatch {
  /** By method. */
  readonly routes: ReadonlyMap<string, AnyRoute>;
  /** Of the path, still encoded. */
  readonly sessionId: string | undefined;
}

/** Exact paths only: no trailing slash, no other case. Null: there is no such path. */
export function createRouter(routes: readonly AnyRoute[]): (path: string) => RouteMatch | null {
  const exact = new Map<string, Map<string, AnyRoute>>();
  for (const each of routes) {
    const methods = exact.get(each.path) ?? new Map<string, AnyRoute>();
    exact.set(each.path, methods.set(each.method, each));
  }
  return (path) => {
    if (hasDotSegment(path)) return null;
    const fixed = exact.get(path);
    if (fixed && !path.includes('{')) return { routes: fixed, sessionId: undefined };
    const [empty, first, parameter, ...rest] = path.split('/');
    if (empty !== '' || !parameter) return null;
    const pattern = [empty, first, '{sessionId}', ...rest].join('/');
    const found = exact.get(pattern);
    return found ? { routes: found, sessionId: parameter } : null;
  };
}

/** Who reads such a path as an address comes to another one. */
function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}
