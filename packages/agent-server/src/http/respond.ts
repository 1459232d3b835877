import { HelixError, type ErrorCode, type Issue } from '@helix-agents/core';

/** What every error answer has. Branch on `code`; `error` is for people. */
export interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode | (string & {});
  readonly details?: readonly Issue[];
  readonly [field: string]: unknown;
}

/** A refusal that is the whole answer. */
export class HttpRefusal extends HelixError {
  override readonly name: string = 'HttpRefusal';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super({ message: body.error, code: body.code, statusCode: status });
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function notFound(error: string): HttpRefusal {
  return new HttpRefusal(404, { error, code: 'NOT_FOUND' });
}

export function invalidRequest(path: string, message: string): HttpRefusal {
  const details = [{ path, message }];
  const error = path === '' ? message : `${path}: ${message}`;
  return new HttpRefusal(400, { error, code: 'INVALID_REQUEST', details });
}

/** Ruling of the project: a part that a route needs and the server was not given. */
export function notConfigured(what: string): HttpRefusal {
  return new HttpRefusal(501, {
    error: `This server was made without ${what}; hand it to AgentServer.`,
    code: 'NOT_CONFIGURED',
  });
}

export function unavailable(error: string, retryAfterSeconds = 1): HttpRefusal {
  return new HttpRefusal(
    503,
    { error, code: 'UNAVAILABLE' },
    { 'retry-after': String(retryAfterSeconds) },
  );
}

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...COMMON_HEADERS,
      ...headers,
    },
  });
}
