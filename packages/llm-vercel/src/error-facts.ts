import { errorMessage } from '@helix-agents/core';

/** What a thrown value says of itself, whatever its class: copies of the AI SDK do not share theirs. */
export interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  readonly status: number | undefined;
  /** The provider's own words for the kind of error, such as `overloaded_error`. */
  readonly kinds: readonly string[];
  /** Codes of the network layer along the chain of causes, such as `ECONNRESET`. */
  readonly networkCodes: readonly string[];
  readonly headers: unknown;
  readonly saysRetryable: boolean | undefined;
}

const DEPTH = 5;

export function readErrorFacts(thrown: unknown): ErrorFacts {
  const error = unwrap(thrown);
  const status = get(error, 'statusCode') ?? get(error, 'status');
  const retryable = get(error, 'isRetryable');
  return {
    name: text(get(error, 'name')) ?? '',
    message: describe(error),
    status: typeof status === 'number' ? status : undefined,
    kinds: kindsOf(error),
    networkCodes: chain(error).flatMap((cause) => text(get(cause, 'code')) ?? []),
    headers: get(error, 'responseHeaders'),
    saysRetryable: typeof retryable === 'boolean' ? retryable : undefined,
  };
}

/** The error that a wrapper of attempts stands for. */
function unwrap(error: unknown): unknown {
  return get(error, 'name') === 'AI_RetryError' ? (get(error, 'lastError') ?? error) : error;
}

function kindsOf(error: unknown): string[] {
  const body = get(error, 'data') ?? parse(get(error, 'responseBody'));
  const places = [error, get(error, 'error'), body, get(body, 'error')];
  return places.flatMap((place) =>
    ['type', 'code', 'status'].flatMap((key) => text(get(place, key))?.toLowerCase() ?? []),
  );
}

function describe(error: unknown): string {
  if (typeof error === 'string') return error;
  const inner = text(get(get(error, 'error'), 'message'));
  return inner ?? text(get(error, 'message')) ?? (isObject(error) ? '' : errorMessage(error));
}

function chain(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let next = error; isObject(next) && found.length < DEPTH; next = get(next, 'cause')) {
    found.push(next);
  }
  return found;
}

function parse(body: unknown): unknown {
  if (typeof body !== 'string') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function get(value: unknown, key: string): unknown {
  try {
    return isObject(value) ? Reflect.get(value, key) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
