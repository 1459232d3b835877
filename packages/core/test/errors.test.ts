import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failure } from '../src/engine/rows/answer-result.ts';
import { codedError } from '../src/errors/coded-error.ts';
import {
  AgentAlreadyRunningError,
  AgentNotFoundError,
  CLIENT_TOOL_ERROR_CODES,
  DefinitionError,
  errorMessage,
  HelixError,
  HelixPayloadTooLargeError,
  HelixStreamError,
  humanizeClientToolError,
  InvalidRequestError,
  InvalidResultError,
  isClientToolErrorCode,
  isKnownErrorCode,
  KNOWN_ERROR_CODES,
  NotResumableError,
  NotRootSessionError,
  SessionNotFoundError,
  SessionSuspendedError,
  StaleStateError,
  StoreSchemaError,
  StoreUnavailableError,
  StreamNotActiveError,
} from '../src/index.ts';
import { toHelixError } from '../src/errors/helix-error.ts';

describe('HelixError', () => {
  it('derives retryable and category from the code', () => {
    const limited = new HelixError({ message: 'slow down', code: 'provider_rate_limited' });
    expect(limited).toMatchObject({ retryable: true, category: 'provider' });
    const failed = new HelixError({ message: 'no', code: 'tool_execution_failed' });
    expect(failed).toMatchObject({ retryable: false, category: 'tool' });
    expect(failed).not.toHaveProperty('statusCode');
    expect('cause' in failed).toBe(false);
  });

  it('takes retryable and category as given', () => {
    const cause = new Error('socket');
    const error = new HelixError({
      message: 'm',
      code: 'billing_declined',
      retryable: true,
      category: 'money',
      statusCode: 402,
      cause,
    });
    expect(error).toMatchObject({ retryable: true, category: 'money', statusCode: 402, cause });
  });

  it('puts codes of others into the category of their first word', () => {
    const category = (code: string): string => new HelixError({ message: '', code }).category;
    expect(category('billing_declined')).toBe('billing');
    expect(category('client_tool_timeout')).toBe('client_tool');
    expect(category('aborted')).toBe('client_tool');
    expect(category('INVALID_REQUEST')).toBe('request');
    expect(category('odd')).toBe('unknown');
  });

  it('is recognised by its mark, not its prototype', () => {
    const foreign = Object.assign(new Error('from another bundle'), { code: 'state_stale' });
    expect(HelixError.isInstance(foreign)).toBe(false);
    Object.defineProperty(foreign, Symbol.for('@helix-agents/error'), { value: true });
    expect(HelixError.isInstance(foreign)).toBe(true);
    expect(StaleStateError.isInstance(foreign)).toBe(true);
    for (const value of [null, undefined, 'x', {}, new Error('x')]) {
      expect(HelixError.isInstance(value)).toBe(false);
    }
  });

  it('keeps the mark out of what is serialised', () => {
    const keys = Object.keys(new HelixError({ message: 'm', code: 'state_stale' }));
    expect(keys.toSorted()).toEqual(['category', 'code', 'name', 'retryable']);
  });
});

describe('named errors', () => {
  const issues = [{ path: 'a.0', message: 'wrong' }];
  const cases: [HelixError, string, number | undefined][] = [
    [new StaleStateError({ sessionId: 's' }), 'state_stale', 409],
    [new AgentAlreadyRunningError('s'), 'run_already_running', 409],
    [new AgentNotFoundError('a'), 'agent_not_found', 404],
    [new SessionNotFoundError('s'), 'session_not_found', 404],
    [new SessionSuspendedError('s', ['c1']), 'session_suspended', 409],
    [new NotResumableError('s', 'completed'), 'session_not_resumable', 409],
    [new NotRootSessionError('s', 'r'), 'NOT_ROOT_SESSION', 400],
    [new InvalidRequestError(issues), 'INVALID_REQUEST', 400],
    [new InvalidResultError({ toolName: 't', toolCallId: 'c', issues }), 'INVALID_RESULT', 400],
    [new StreamNotActiveError('st', 'ended'), 'stream_not_active', 409],
    [new HelixPayloadTooLargeError({ maxBytes: 9 }), 'PAYLOAD_TOO_LARGE', 413],
    [new DefinitionError('bad'), 'definition_invalid', undefined],
    [new StoreSchemaError('old'), 'store_schema_mismatch', undefined],
  ];

  it.each(cases)('%s only fixes its code', (error, code, statusCode) => {
    expect(error.code).toBe(code);
    expect(error.statusCode).toBe(statusCode);
    expect(error.name).toBe(error.constructor.name);
    expect(isKnownErrorCode(code)).toBe(true);
    expect(HelixError.isInstance(error)).toBe(true);
    const kind = error.constructor as typeof HelixError;
    expect(kind.isInstance(error)).toBe(true);
    expect(kind.isInstance(new HelixError({ message: '', code: 'tool_timeout' }))).toBe(false);
  });

  it('carry what a caller needs to go on', () => {
    expect(new SessionSuspendedError('s', ['c1', 'c2']).toolCallIds).toEqual(['c1', 'c2']);
    expect(new NotRootSessionError('child', 'root').rootId).toBe('root');
    expect(new NotResumableError('s', 'closed').reason).toBe('closed');
    expect(new InvalidRequestError(issues).message).toContain('a.0: wrong');
    expect(new InvalidResultError({ toolName: 't', toolCallId: 'c', issues }).issues).toBe(issues);
    expect(new AgentAlreadyRunningError('s').sessionId).toBe('s');
  });
});

describe('an error of a stream', () => {
  it('keeps what the event says', () => {
    const event = { type: 'error', message: 'busy', code: 'provider_overloaded', retryable: false };
    expect(HelixStreamError.fromEvent(event)).toMatchObject({
      name: 'HelixStreamError',
      message: 'busy',
      code: 'provider_overloaded',
      category: 'provider',
      retryable: false,
      cause: event,
    });
  });

  it.each([undefined, null, 7, '', {}, { message: 3, code: null }])(
    'is made of %j too',
    (event) => {
      const error = HelixStreamError.fromEvent(event);
      expect(error).toMatchObject({ message: 'The stream failed.', code: 'stream_failed' });
      expect(HelixError.isInstance(error)).toBe(true);
    },
  );
});

describe('client tool errors', () => {
  it('has a text for every built-in code and leaves other strings alone', () => {
    for (const code of CLIENT_TOOL_ERROR_CODES) {
      expect(humanizeClientToolError(code)).not.toBe(code);
      expect(isClientToolErrorCode(code)).toBe(true);
      expect(KNOWN_ERROR_CODES.has(code)).toBe(true);
    }
    expect(humanizeClientToolError('card declined')).toBe('card declined');
    expect(isClientToolErrorCode('toString')).toBe(false);
    expect(isKnownErrorCode('card declined')).toBe(false);
    expect(isKnownErrorCode(undefined)).toBe(false);
  });
});

/**
 * Codes written next to an error, a failed call or an answer over HTTP, anywhere in what is published. A command line tool has
 * codes of its own, in a closed type.
 */
function codesInSources(): string[] {
  const cwd = new URL('../../', import.meta.url).pathname;
  const files = globSync('*/src/**/*.ts', { cwd }).filter(
    (file) => !/^(test|skill-cli)/.test(file),
  );
  return files.flatMap((file) =>
    [
      ...readFileSync(`${cwd}${file}`, 'utf8').matchAll(
        /(?:\bcode: |\b(?:failure|codedError)\(\s*)'(\w+)'/g,
      ),
    ].map(([, code = '']) => code),
  );
}

it('an error of the engine has a known code, or does not compile', () => {
  expect(codedError('run_failed', 'no')).toEqual({ code: 'run_failed', message: 'no' });
  // @ts-expect-error -- a typo
  expect(codedError('run_faild', 'no').code).toBe('run_faild');
  // @ts-expect-error -- a typo
  expect(failure('tool_timout', 'no').outcome.success).toBe(false);
});

it('the list of error codes has every code that the sources write', () => {
  // A refusal of an operation, and an issue of the schema library: neither leaves as an error.
  const others = ['stale', 'custom'];
  const codes = codesInSources();
  expect(codes).toContain('stream_not_resumable');
  const unknown = codes.filter((code) => !isKnownErrorCode(code) && !others.includes(code));
  expect(unknown).toEqual([]);
});

describe('unknown thrown values', () => {
  it('always have a message', () => {
    expect(errorMessage(new Error('x'))).toBe('x');
    expect(errorMessage(new TypeError(''))).toBe('TypeError');
    expect(errorMessage({ message: 'plain' })).toBe('plain');
    expect(errorMessage('text')).toBe('text');
    expect(errorMessage(undefined)).toBe('undefined');
    expect(errorMessage(Object.create(null))).toBe('a value without a message was thrown');
  });

  it('are wrapped once', () => {
    const cause = new Error('disk');
    const wrapped = toHelixError(cause, 'store_unavailable');
    expect(wrapped).toMatchObject({ code: 'store_unavailable', message: 'disk', cause });
    expect(toHelixError(wrapped, 'run_failed')).toBe(wrapped);
  });
});

describe('StoreUnavailableError', () => {
  it('has the text of the driver in its cause and in logs, not in its message', () => {
    const cause = new Error('connect ECONNREFUSED db.internal:5432');
    const error = new StoreUnavailableError(cause, 'Postgres');
    expect(error.message).not.toContain('db.internal');
    expect(error.cause).toBe(cause);
    expect(String(error)).toContain('db.internal');
  });
});
