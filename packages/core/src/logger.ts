import { DefinitionError } from './errors/setup-errors.ts';

/** Where events are told. `message` is an event name, `data` its fields. */
export interface Logger {
  info(message: string, data?: object): void;
  warn(message: string, data?: object): void;
  error(message: string, data?: object): void;
  debug?(message: string, data?: object): void;
}

/** A logger whose children carry bindings and whose methods take the fields first, as those of pino and bunyan do. */
export interface ObjectFirstLogger {
  child(bindings: object): ObjectFirstLogger;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
  debug(data: object, message: string): void;
}

/** Both are taken in. Loggers of pino and bunyan are of either type, and called with the fields first. */
export type AnyLogger = Logger | ObjectFirstLogger;

const nothing = (): void => {};

export const noopLogger: Logger = { info: nothing, warn: nothing, error: nothing, debug: nothing };

export const consoleLogger: Logger = {
  info: (message, data) => globalThis.console.info(message, ...optional(data)),
  warn: (message, data) => globalThis.console.warn(message, ...optional(data)),
  error: (message, data) => globalThis.console.error(message, ...optional(data)),
  debug: (message, data) => globalThis.console.debug(message, ...optional(data)),
};

type Level = 'info' | 'warn' | 'error' | 'debug';

/**
 * Any logger, taken in: called the way it expects, and unable to fail what it is told about. Each logger of the application
 * goes through here once, where it comes in.
 */
export function toLogger(given: AnyLogger | undefined): Logger {
  if (given === undefined || given === noopLogger) return noopLogger;
  requireMethods(given);
  const tell = isObjectFirst(given)
    ? (level: Level, message: string, data?: object): unknown => given[level](data ?? {}, message)
    : (level: Level, message: string, data?: object): unknown =>
        given[level]?.(message, ...optional(data));
  return {
    info: (message, data) => quietly(() => tell('info', message, data)),
    warn: (message, data) => quietly(() => tell('warn', message, data)),
    error: (message, data) => quietly(() => tell('error', message, data)),
    debug: (message, data) => quietly(() => tell('debug', message, data)),
  };
}

/** A logger that adds `bindings` to every event. */
export function withContext(given: AnyLogger, bindings: object): Logger {
  requireMethods(given);
  if (isObjectFirst(given)) return toLogger(given.child(bindings));
  const logger = toLogger(given);
  return {
    info: (message, data) => logger.info(message, { ...bindings, ...data }),
    warn: (message, data) => logger.warn(message, { ...bindings, ...data }),
    error: (message, data) => logger.error(message, { ...bindings, ...data }),
    debug: (message, data) => logger.debug?.(message, { ...bindings, ...data }),
  };
}

/** One that lacks them would lose every event without a word. */
function requireMethods(given: unknown): void {
  const isObject = (typeof given === 'object' && given !== null) || typeof given === 'function';
  const methods = isObject ? given : {};
  const lacking = ['info', 'warn', 'error'].filter(
    (level) => typeof Reflect.get(methods, level) !== 'function',
  );
  if (lacking.length === 0) return;
  throw new DefinitionError(
    `\`logger\` must be an object with the methods info, warn and error, as console, pino, winston and bunyan are, and this one lacks ${lacking.join(', ')}; leave it out for the default.`,
  );
}

/** Loggers of winston have children too, but take the message first; they alone have a method `log`. */
function isObjectFirst(logger: AnyLogger): logger is ObjectFirstLogger {
  return 'child' in logger && typeof logger.child === 'function' && !('log' in logger);
}

function quietly(tell: () => unknown): void {
  try {
    const told = tell();
    if (told instanceof Promise) told.catch(nothing);
  } catch {
    // There is nowhere to report that logging failed.
  }
}

function optional(data: object | undefined): object[] {
  return data === undefined ? [] : [data];
}
