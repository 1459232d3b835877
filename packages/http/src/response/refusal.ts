import { HelixError, type ErrorCode, type Issue } from '@helix-agents/core';

/** The body of every error response. Branch on `code`; `error` is for people. */
export interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode | (string & {});
  readonly details?: readonly Issue[];
  readonly [field: string]: unknown;
}

/** A body written by this project: its code is one of the known ones. */
export interface RefusalBody extends ErrorBody {
  readonly code: ErrorCode;
}

/** Thrown to answer a request with exactly this. Its text goes to the client, also with a 5xx. */
export class HttpRefusal extends HelixError {
  override readonly name: string = 'HttpRefusal';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: RefusalBody, headers: Readonly<Record<string, string>> = {}) {
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

/** The limit is sent in a header, because the body must be exactly the documented one. */
export const MAX_BODY_BYTES_HEADER = 'x-max-body-bytes';

export function payloadTooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(
    413,
    { error: 'payload_too_large', code: 'PAYLOAD_TOO_LARGE' },
    { [MAX_BODY_BYTES_HEADER]: String(maxBytes) },
  );
}

export function unavailable(error: string, retryAfterSeconds = 1): HttpRefusal {
  return new HttpRefusal(
    503,
    { error, code: 'UNAVAILABLE' },
    { 'retry-after': String(retryAfterSeconds) },
  );
}
