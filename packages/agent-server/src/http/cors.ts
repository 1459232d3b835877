import { DefinitionError, errorMessage, type Logger } from '@helix-agents/core';
import { HttpRefusal } from '@helix-agents/http';

export interface CorsOptions {
  /**
   * Origins whose pages may call this server, such as `https://app.example.com`; `'*'` is all, without cookies. If the
   * function throws, the origin is not allowed.
   */
  readonly origins: '*' | readonly string[] | ((origin: string) => boolean);
  /** Whether cookies and other credentials of the browser may come along. False by default. */
  readonly credentials?: boolean;
  /** Request headers besides those this server reads. */
  readonly headers?: readonly string[];
  /** How long a browser remembers the answer, in seconds; 600 by default. */
  readonly maxAgeSeconds?: number;
}

const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'last-event-id',
  'x-resume-from-sequence',
  'x-existing-message-id',
  'x-helix-chat-capabilities',
];
const RESPONSE_HEADERS = 'x-session-id, retry-after, x-max-body-bytes';

export interface Cors {
  /** Whether pages of this origin may call. */
  allows(origin: string): boolean;
  /** The reply to a browser's preflight request. */
  preflight(request: Request, methods: readonly string[]): Response;
  /** The headers every answer to this origin carries. */
  decorate(request: Request, response: Response): Response;
}

export function createCors(options: CorsOptions | undefined, logger: Logger): Cors {
  if (options?.origins === '*' && options.credentials) {
    throw new DefinitionError(
      "cors.origins '*' cannot be combined with credentials: name the origins.",
    );
  }
  const asked = (decide: (origin: string) => boolean, origin: string): boolean => {
    try {
      return decide(origin) === true;
    } catch (error) {
      logger.error('server.cors_failed', { error: errorMessage(error) });
      return false;
    }
  };
  const allows = (origin: string): boolean => {
    if (!options) return false;
    const { origins } = options;
    if (origins === '*') return true;
    return typeof origins === 'function' ? asked(origins, origin) : origins.includes(origin);
  };
  const originHeaders = (request: Request): Record<string, string> => {
    const origin = request.headers.get('origin');
    if (!options || origin === null || !allows(origin)) return {};
    return {
      'access-control-allow-origin': options.origins === '*' ? '*' : origin,
      'access-control-expose-headers': RESPONSE_HEADERS,
      ...(options.credentials && { 'access-control-allow-credentials': 'true' }),
    };
  };
  return {
    allows,
    preflight(request, methods) {
      const headers = new Headers({ allow: methods.join(', '), vary: 'origin' });
      for (const [name, value] of Object.entries(originHeaders(request))) headers.set(name, value);
      if (headers.has('access-control-allow-origin')) {
        headers.set('access-control-allow-methods', methods.join(', '));
        headers.set(
          'access-control-allow-headers',
          [...REQUEST_HEADERS, ...(options?.headers ?? [])].join(', '),
        );
        headers.set('access-control-max-age', String(options?.maxAgeSeconds ?? 600));
      }
      return new Response(null, { status: 204, headers });
    },
    decorate(request, response) {
      if (!options) return response;
      for (const [name, value] of Object.entries(originHeaders(request)))
        response.headers.set(name, value);
      response.headers.append('vary', 'origin');
      return response;
    },
  };
}

/**
 * Refuses cross-site requests: a page of another site can make a browser send them with the user's cookies. Browsers name
 * the origin of a request in these headers; other programs send neither.
 */
export function checkSameOrigin(request: Request, cors: Cors): void {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin !== null && cors.allows(origin)) return;
  if (site === 'same-origin' || site === 'none') return;
  if (site === null && (origin === null || hostOf(origin) === hostOf(request.url))) return;
  throw new HttpRefusal(403, {
    error: 'Requests of other sites are refused; add this origin to cors.origins.',
    code: 'FORBIDDEN',
  });
}

function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).host : null;
}
