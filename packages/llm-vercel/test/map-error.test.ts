import { inspect } from 'node:util';
import { APICallError } from '@ai-sdk/provider';
import { HelixError } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { mapVercelError } from '../src/index.ts';

const SECRET = 'sk-live-0123456789abcdef';
const call = (options: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError =>
  new APICallError({
    message: 'No',
    url: `https://example.com/v1?key=${SECRET}`,
    requestBodyValues: { key: SECRET },
    responseHeaders: { 'x-key': SECRET },
    ...options,
  });

describe('mapVercelError', () => {
  it.each([
    [call({ statusCode: 403 }), 'provider_auth_failed', false],
    [call({ statusCode: 404 }), 'provider_request_invalid', false],
    [call({ statusCode: 408 }), 'provider_timeout', true],
    [call({ statusCode: 422 }), 'provider_request_invalid', false],
    [call({ statusCode: 502 }), 'provider_unavailable', true],
    [call({ statusCode: 504 }), 'provider_timeout', true],
    [call({ statusCode: 200 }), 'provider_response_invalid', true],
    [call({ statusCode: 413 }), 'provider_context_exceeded', false],
    [
      call({ statusCode: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' }),
      'provider_context_exceeded',
      false,
    ],
    [
      call({ statusCode: 400, data: { error: { code: 'context_length_exceeded' } } }),
      'provider_context_exceeded',
      false,
    ],
    [
      call({ statusCode: 400, responseBody: '{"error":{"code":"content_filter"}}' }),
      'provider_content_filtered',
      false,
    ],
    [
      call({ statusCode: 429, data: { error: { type: 'insufficient_quota' } } }),
      'provider_rate_limited',
      false,
    ],
    [call({ message: 'Cannot connect to API', isRetryable: true }), 'provider_unavailable', true],
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'provider_overloaded', true],
    [{ error: { type: 'server_error', message: 'Oops' } }, 'provider_unavailable', true],
    [new TypeError('terminated'), 'provider_unavailable', true],
    [
      new TypeError('x', { cause: Object.assign(new Error('y'), { code: 'ECONNRESET' }) }),
      'provider_unavailable',
      true,
    ],
    [
      new TypeError('x', {
        cause: Object.assign(new Error('y'), { code: 'UND_ERR_BODY_TIMEOUT' }),
      }),
      'provider_timeout',
      true,
    ],
    [new DOMException('late', 'TimeoutError'), 'provider_timeout', true],
    [new DOMException('gone', 'AbortError'), 'provider_error', false],
    [
      Object.assign(new Error('no key'), { name: 'AI_LoadAPIKeyError' }),
      'provider_auth_failed',
      false,
    ],
    [
      Object.assign(new Error('bad'), { name: 'AI_JSONParseError' }),
      'provider_response_invalid',
      true,
    ],
    [
      Object.assign(new Error('all failed'), {
        name: 'AI_RetryError',
        lastError: call({ statusCode: 529 }),
      }),
      'provider_overloaded',
      true,
    ],
    ['just text', 'provider_error', false],
    [undefined, 'provider_error', false],
    [null, 'provider_error', false],
    [{}, 'provider_error', false],
  ])('maps %s to %s', (error, code, retryable) => {
    const mapped = mapVercelError(error);
    expect(mapped).toMatchObject({ code, retryable });
    expect(mapped.message).not.toBe('');
    expect(mapped.message).not.toContain('[object');
  });

  it.each([
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'Retry-After': '7' }, 7000],
    [{ 'retry-after': 'Mon, 16 Nov 2026 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{}, undefined],
  ])('reads how long to wait from %j', (responseHeaders, ms) => {
    const now = Date.parse('2026-11-16T00:00:00Z');
    const mapped = mapVercelError(call({ statusCode: 429, responseHeaders }), { now });
    expect((mapped as { retryAfterMs?: number }).retryAfterMs).toBe(ms);
  });

  it('shows no key, whoever prints it', () => {
    const message = `Incorrect API key provided: ${SECRET}, see https://example.com/a?key=${SECRET} (Bearer ${SECRET})`;
    const mapped = mapVercelError(call({ statusCode: 401, message }));
    expect(inspect(mapped, { depth: 9, showHidden: true })).not.toContain(SECRET);
    expect(mapped.message).toContain('Incorrect API key provided');
    expect(mapped.cause).toMatchObject({ name: 'AI_APICallError' });
  });

  it('leaves errors of the framework as they are', () => {
    const error = new HelixError({ code: 'run_aborted', message: 'x' });
    expect(mapVercelError(error)).toBe(error);
  });
});
