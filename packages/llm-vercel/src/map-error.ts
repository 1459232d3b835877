import { HelixError, type ErrorCode } from '@helix-agents/core';
import { readErrorFacts, type ErrorFacts } from './error-facts.ts';
import { ProviderError } from './provider-error.ts';
import { redact } from './redact.ts';
import { readRetryAfterMs } from './retry-after.ts';

interface Verdict {
  readonly code: ErrorCode;
  /** Follows from the code unless given. */
  readonly retryable?: boolean;
}

/** What to do, by code. The provider's own words stand before it. */
const NEXT_STEP: Readonly<Partial<Record<ErrorCode, string>>> = {
  provider_rate_limited: 'Wait and ask again, or raise the limits of the account.',
  provider_overloaded: 'The provider has too much to do: ask again later, or name a second model.',
  provider_timeout: 'The provider did not answer in time: ask again.',
  provider_unavailable: 'The provider could not be reached or broke off: ask again.',
  provider_auth_failed: 'Check the key of the provider and what it may use.',
  provider_request_invalid:
    'The provider refuses the request as it is: correct model, settings or messages.',
  provider_context_exceeded:
    'The transcript is longer than the model takes: shorten it, or use a larger model.',
  provider_content_filtered:
    'The content filter of the provider stopped this: change the messages.',
  provider_response_invalid: 'The provider sent something that is no answer: ask again.',
};

const CONTEXT =
  /context[ _-]?(length|window)|maximum context|prompt is too long|too many tokens|input (is )?too long|request_too_large/i;
const FILTER = /content[ _-]?(filter|policy)|safety system/i;
const NETWORK =
  /fetch failed|terminated|network error|load failed|socket|connect|other side closed/i;
const NETWORK_CODE = /^(ECONN|ENOTFOUND|EAI_|EPIPE|ENET|EHOST|UND_ERR|ERR_STREAM_PREMATURE)/;
const TIMEOUT_CODE = /TIMEDOUT|TIMEOUT/;

const STATUSES: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'provider_auth_failed'],
  [403, 'provider_auth_failed'],
  [408, 'provider_timeout'],
  [409, 'provider_unavailable'],
  [413, 'provider_context_exceeded'],
  [425, 'provider_unavailable'],
  [503, 'provider_overloaded'],
  [504, 'provider_timeout'],
  [529, 'provider_overloaded'],
]);

/** Kinds that providers name within a body or in the middle of a stream. The first that matches wins. */
const KINDS: readonly (readonly [RegExp, Verdict])[] = [
  [/insufficient_quota|billing/, { code: 'provider_rate_limited', retryable: false }],
  [/context_length|request_too_large/, { code: 'provider_context_exceeded' }],
  [/content_filter|content_policy/, { code: 'provider_content_filtered' }],
  [/overloaded|slow_down/, { code: 'provider_overloaded' }],
  [/rate_limit|resource_exhausted|too_many_requests/, { code: 'provider_rate_limited' }],
  [/timeout|deadline_exceeded/, { code: 'provider_timeout' }],
  [/authentication|permission|unauthenticated|invalid_api_key/, { code: 'provider_auth_failed' }],
  [
    /invalid_request|invalid_prompt|invalid_argument|not_found/,
    { code: 'provider_request_invalid' },
  ],
  [/api_error|server_error|internal|unavailable/, { code: 'provider_unavailable' }],
];

/** Errors of the AI SDK that never reached a provider, or could not read what came back. */
const NAMES: Readonly<Record<string, Verdict>> = {
  AI_LoadAPIKeyError: { code: 'provider_auth_failed' },
  AI_LoadSettingError: { code: 'provider_request_invalid' },
  AI_InvalidArgumentError: { code: 'provider_request_invalid' },
  AI_InvalidPromptError: { code: 'provider_request_invalid' },
  AI_NoSuchModelError: { code: 'provider_request_invalid' },
  AI_UnsupportedFunctionalityError: { code: 'provider_request_invalid' },
  AI_EmptyResponseBodyError: { code: 'provider_response_invalid', retryable: true },
  AI_InvalidResponseDataError: { code: 'provider_response_invalid', retryable: true },
  AI_JSONParseError: { code: 'provider_response_invalid', retryable: true },
  AI_NoContentGeneratedError: { code: 'provider_response_invalid', retryable: true },
  AI_TypeValidationError: { code: 'provider_response_invalid', retryable: true },
  AbortError: { code: 'provider_error', retryable: false },
  ResponseAborted: { code: 'provider_error', retryable: false },
  TimeoutError: { code: 'provider_timeout' },
};

/**
 * Any failure of a model call as an error with a code of this framework. Neither its text nor its cause carries the
 * request, headers, or anything that looks like a key.
 */
export function mapVercelError(
  error: unknown,
  options: { readonly now?: number } = {},
): HelixError {
  if (HelixError.isInstance(error)) return error;
  const facts = readErrorFacts(error);
  const { code, retryable } = decide(facts);
  const said = redact(facts.message).replace(/[\s.]+$/, '');
  const status = facts.status === undefined ? '' : ` (${facts.status})`;
  const next = NEXT_STEP[code];
  return new ProviderError({
    code,
    message: `${said || 'The model call failed'}${status}.${next ? ` ${next}` : ''}`,
    cause: toCause(error, facts),
    ...(retryable !== undefined && { retryable }),
    ...(facts.status !== undefined && { statusCode: facts.status }),
    retryAfterMs: readRetryAfterMs(facts.headers, options.now ?? Date.now()),
  });
}

function decide(facts: ErrorFacts): Verdict {
  if (facts.status !== undefined) return decideByStatus(facts.status, facts);
  if (Object.hasOwn(NAMES, facts.name)) return NAMES[facts.name] as Verdict;
  const byKind = decideByKind(facts);
  if (byKind) return byKind;
  if (facts.networkCodes.some((code) => TIMEOUT_CODE.test(code)))
    return { code: 'provider_timeout' };
  const network =
    facts.networkCodes.some((code) => NETWORK_CODE.test(code)) || NETWORK.test(facts.message);
  if (network) return { code: 'provider_unavailable' };
  if (facts.name === 'AI_APICallError' && facts.saysRetryable) {
    return { code: 'provider_unavailable' };
  }
  return { code: 'provider_error', retryable: facts.saysRetryable ?? false };
}

function decideByStatus(status: number, facts: ErrorFacts): Verdict {
  if (status < 400) return { code: 'provider_response_invalid', retryable: true };
  const named = decideByKind(facts);
  if (status === 429) {
    const spent = named?.code === 'provider_rate_limited' && named.retryable === false;
    return { code: 'provider_rate_limited', retryable: !spent };
  }
  const known = STATUSES.get(status);
  if (known) return { code: known };
  if (status >= 500) return { code: 'provider_unavailable' };
  if (named?.code === 'provider_context_exceeded' || CONTEXT.test(facts.message)) {
    return { code: 'provider_context_exceeded' };
  }
  const filtered = named?.code === 'provider_content_filtered' || FILTER.test(facts.message);
  return { code: filtered ? 'provider_content_filtered' : 'provider_request_invalid' };
}

function decideByKind({ kinds }: ErrorFacts): Verdict | undefined {
  return KINDS.find(([pattern]) => kinds.some((kind) => pattern.test(kind)))?.[1];
}

/** The original without request, response and headers: a logger that prints causes must find no secret. */
function toCause(error: unknown, facts: ErrorFacts): Error {
  const cause = new Error(redact(facts.message));
  cause.name = facts.name || 'Error';
  if (error instanceof Error && error.stack) cause.stack = redactStack(error.stack, facts.message);
  return cause;
}

function redactStack(stack: string, message: string): string {
  const frames = stack.indexOf('\n    at ');
  return `${redact(message)}${frames === -1 ? '' : stack.slice(frames)}`;
}
