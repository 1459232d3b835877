/** Where events are told. `message` is an event name, `data` its fields. */
export interface Logger {
  info(message: string, data?: object): void;
  warn(message: string, data?: object): void;
  error(message: string, data?: object): void;
  debug?(message: string, data?: object): void;
}

/** A logger whose children carry bindings and whose methods take the fields first, as pino's do. */
export interface ObjectFirstLogger {
  child(bindings: object): ObjectFirstLogger;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
  debug(data: object, message: string): void;
}

const nothing = (): void => {};

export const noopLogger: Logger = { info: nothing, warn: nothing, error: nothing, debug: nothing };

export const consoleLogger: Logger = {
  info: (message, data) => globalThis.console.info(message, ...optional(data)),
  warn: (message, data) => globalThis.console.warn(message, ...optional(data)),
  error: (message, data) => globalThis.console.error(message, ...optional(data)),
  debug: (message, data) => globalThis.console.debug(message, ...optional(data)),
};

/** A logger that adds `bindings` to every event. */
export function withContext(logger: Logger | ObjectFirstLogger, bindings: object): Logger {
  if ('child' in logger) {
    const child = logger.child(bindings);
    return {
      info: (message, data) => child.info(data ?? {}, message),
      warn: (message, data) => child.warn(data ?? {}, message),
      error: (message, data) => child.error(data ?? {}, message),
      debug: (message, data) => child.debug(data ?? {}, message),
    };
  }
  return {
    info: (message, data) => logger.info(message, { ...bindings, ...data }),
    warn: (message, data) => logger.warn(message, { ...bindings, ...data }),
    error: (message, data) => logger.error(message, { ...bindings, ...data }),
    debug: (message, data) => logger.debug?.(message, { ...bindings, ...data }),
  };
}

function optional(data: object | undefined): object[] {
  return data === undefined ? [] : [data];
}
