// If this fails: a logger of the application loses the name or the fields of an event, or ends the run that it is told about.
import { Writable } from 'node:stream';
import bunyan from 'bunyan';
import pino from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import winston from 'winston';
import { toLogger, withContext, type Logger } from '../src/index.ts';

afterEach(() => void vi.restoreAllMocks());

/** Keeps what is written as lines of JSON. */
function lines(): { readonly sink: Writable; readonly read: () => Record<string, unknown>[] } {
  let text = '';
  const sink = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const read = (): Record<string, unknown>[] =>
    text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { sink, read };
}

interface Library {
  /** The type of the option `logger`: the libraries fit it as they are. */
  readonly logger: Logger;
  readonly read: () => Record<string, unknown>[];
  readonly message: string;
}

const libraries: { readonly [name: string]: () => Library } = {
  pino: () => {
    const { sink, read } = lines();
    return { logger: pino({ level: 'debug' }, sink), read, message: 'msg' };
  },
  winston: () => {
    const { sink, read } = lines();
    const transports = [new winston.transports.Stream({ stream: sink })];
    const logger = winston.createLogger({ level: 'debug', transports });
    return { logger, read, message: 'message' };
  },
  bunyan: () => {
    const { sink, read } = lines();
    const logger = bunyan.createLogger({ name: 'test', level: 'debug', stream: sink });
    return { logger, read, message: 'msg' };
  },
};

describe.each(Object.entries(libraries))('a logger of %s', (_, open) => {
  it('gets the name and the fields of every event', () => {
    const { logger, read, message } = open();
    const taken = toLogger(logger);
    taken.info('a.info', { sessionId: 's' });
    taken.warn('a.warn', { sessionId: 's', n: 1 });
    taken.error('an.error', { sessionId: 's', error: 'broken' });
    taken.debug?.('a.debug');
    expect(read()).toMatchObject([
      { [message]: 'a.info', sessionId: 's' },
      { [message]: 'a.warn', sessionId: 's', n: 1 },
      { [message]: 'an.error', sessionId: 's', error: 'broken' },
      { [message]: 'a.debug' },
    ]);
  });

  it('gets the fields of its context with every event', () => {
    const { logger, read, message } = open();
    withContext(logger, { service: 'support' }).warn('a.warn', { sessionId: 's' });
    toLogger(withContext(logger, { service: 'support' })).info('an.info');
    expect(read()).toMatchObject([
      { [message]: 'a.warn', service: 'support', sessionId: 's' },
      { [message]: 'an.info', service: 'support' },
    ]);
  });
});

it('the console is a logger as it is', () => {
  const spy = vi.spyOn(globalThis.console, 'warn').mockImplementation(() => {});
  toLogger(globalThis.console).warn('a.warn', { n: 1 });
  withContext(globalThis.console, { service: 'support' }).warn('a.warn', { n: 1 });
  expect(spy.mock.calls).toEqual([
    ['a.warn', { n: 1 }],
    ['a.warn', { service: 'support', n: 1 }],
  ]);
});

it('a logger that throws or rejects fails nobody', async () => {
  const broken = (): never => {
    throw new Error('the disk is full');
  };
  const rejecting = (): void => Promise.reject(new Error('later')) as unknown as void;
  const rejected: unknown[] = [];
  const note = (error: unknown): void => void rejected.push(error);
  process.on('unhandledRejection', note);
  const taken = toLogger({ info: broken, warn: rejecting, error: broken });
  taken.info('a');
  taken.warn('b');
  taken.error('c', {});
  taken.debug?.('d');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(rejected).toEqual([]);
});
