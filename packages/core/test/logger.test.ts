import { afterEach, describe, expect, it, vi } from 'vitest';
import { consoleLogger, type Logger, noopLogger, withContext } from '../src/index.ts';

afterEach(() => void vi.restoreAllMocks());

describe('withContext', () => {
  it('adds its bindings to every event, the event wins', () => {
    const seen: unknown[] = [];
    const logger: Logger = {
      info: (...event) => seen.push(event),
      warn: (...event) => seen.push(event),
      error: (...event) => seen.push(event),
    };
    const bound = withContext(logger, { sessionId: 's', n: 1 });
    bound.info('a');
    bound.warn('b', { n: 2 });
    bound.error('c', { x: 1 });
    bound.debug?.('d');
    expect(seen).toEqual([
      ['a', { sessionId: 's', n: 1 }],
      ['b', { sessionId: 's', n: 2 }],
      ['c', { sessionId: 's', n: 1, x: 1 }],
    ]);
  });

  it('speaks to a logger with children as it expects', () => {
    const seen: unknown[] = [];
    const objectFirst = (bindings: object): Parameters<typeof withContext>[0] & object => ({
      child: (more) => objectFirst({ ...bindings, ...more }) as never,
      info: (data: unknown, message: unknown) => seen.push([message, data, bindings]),
      warn: (data: unknown, message: unknown) => seen.push([message, data, bindings]),
      error: (data: unknown, message: unknown) => seen.push([message, data, bindings]),
      debug: (data: unknown, message: unknown) => seen.push([message, data, bindings]),
    });
    const bound = withContext(objectFirst({}), { sessionId: 's' });
    bound.warn('client_tool.timeout', { toolCallId: 'c' });
    bound.debug?.('quiet');
    expect(seen).toEqual([
      ['client_tool.timeout', { toolCallId: 'c' }, { sessionId: 's' }],
      ['quiet', {}, { sessionId: 's' }],
    ]);
  });
});

describe('loggers', () => {
  it('say nothing, or say it to the console', () => {
    const spies = (['info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(globalThis.console, level).mockImplementation(() => {}),
    );
    for (const level of ['info', 'warn', 'error', 'debug'] as const) {
      noopLogger[level]?.('event', { a: 1 });
      consoleLogger[level]?.('event', { a: 1 });
      consoleLogger[level]?.('event');
    }
    for (const spy of spies) expect(spy.mock.calls).toEqual([['event', { a: 1 }], ['event']]);
  });
});
