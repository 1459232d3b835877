// If this fails: an error is answered with another status or code than before, or a 5xx tells more than it may.
import {
  AgentNotFoundError,
  HelixError,
  InvalidRequestError,
  NotRootSessionError,
  SessionNotFoundError,
  SessionSuspendedError,
  StoreUnavailableError,
} from '@helix-agents/core';
import { describe, expect, it, vi } from 'vitest';
import { errorResponse, HttpRefusal, unavailable } from '../src/index.ts';

const secret = 'host db-7 said no';

describe('an error as a response', () => {
  it.each([
    [new SessionNotFoundError('s'), 404, { code: 'NOT_FOUND' }],
    [new AgentNotFoundError('a'), 404, { code: 'NOT_FOUND' }],
    [new NotRootSessionError('s', 'r'), 400, { code: 'NOT_ROOT_SESSION', rootSessionId: 'r' }],
    [new SessionSuspendedError('s', ['c']), 409, { code: 'session_suspended', toolCallIds: ['c'] }],
    [
      new InvalidRequestError([{ path: 'a', message: 'b' }]),
      400,
      { code: 'INVALID_REQUEST', details: [{ path: 'a', message: 'b' }] },
    ],
    [new HttpRefusal(418, { error: 'tea', code: 'FORBIDDEN' }), 418, { error: 'tea' }],
  ])('of a caller says what to correct: %s', async (error, status, body) => {
    const report = vi.fn();
    const response = errorResponse(error, report);
    expect([response.status, await response.json()]).toMatchObject([status, body]);
    expect(report).not.toHaveBeenCalled();
  });

  it.each([
    [new StoreUnavailableError(new Error(secret)), 503, 'store_unavailable'],
    [new HelixError({ code: 'store_busy', message: secret }), 503, 'store_busy'],
    [new HelixError({ code: 'state_invalid', message: secret }), 500, 'INTERNAL_ERROR'],
    [new HelixError({ code: 'x', message: secret, statusCode: 502 }), 500, 'INTERNAL_ERROR'],
    [new Error(secret), 500, 'INTERNAL_ERROR'],
    [secret, 500, 'INTERNAL_ERROR'],
  ])(
    'I1, I2: of the server is logged and keeps its text to itself: %s',
    async (error, status, code) => {
      const report = vi.fn();
      const response = errorResponse(error, report);
      const text = await response.text();
      expect([response.status, JSON.parse(text)]).toMatchObject([status, { code }]);
      expect(text).not.toContain('db-7');
      expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
      expect(report.mock.calls[0]?.[0].error).toContain(secret);
    },
  );

  it('I1: of the server that was written for the client keeps its text', async () => {
    const response = errorResponse(unavailable('Later, please.'), () => undefined);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: 'Later, please.' },
    ]);
  });
});
