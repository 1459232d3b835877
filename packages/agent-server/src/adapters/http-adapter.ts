/** What adapters need of a server. */
export interface FetchHandler {
  /** Can be handed on by itself. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** As `fetch`, with the path the routes are matched with. */
  handle(request: Request, path: string): Promise<Response>;
  /** Whether there is a route for this path. */
  handles(path: string): boolean;
}

export interface HttpAdapterOptions {
  /** What stands before every route, such as `/api`. */
  readonly basePath?: string;
  /** Serves only the routes under this path: with `/chat`, `/chat/…` is served as `basePath/…`. */
  readonly routesUnder?: string;
}

/**
 * The server under a prefix, for frameworks that pass on web requests: Next, Hono, Bun, Workers.
 *
 * @example
 * const { fetch } = createHttpAdapter(server, { basePath: '/api/agents' });
 * export { fetch as GET, fetch as POST };
 */
export function createHttpAdapter(
  server: FetchHandler,
  options: HttpAdapterOptions = {},
): FetchHandler {
  const base = (options.basePath ?? '').replace(/\/+$/, '');
  const under = options.routesUnder ?? '';
  const inner = (path: string): string | null => {
    if (path !== base && !path.startsWith(`${base}/`)) return null;
    return under + path.slice(base.length);
  };
  const adapter: FetchHandler = {
    fetch: (request) => adapter.handle(request, new URL(request.url).pathname),
    // A path outside of the prefix matches nothing.
    handle: (request, path) => server.handle(request, inner(path) ?? ''),
    handles: (path) => {
      const own = inner(path);
      return own !== null && server.handles(own);
    },
  };
  return adapter;
}
