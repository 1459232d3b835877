import { HelixError, isHelixErrorWithCode } from './helix-error.ts';

export class AgentNotFoundError extends HelixError {
  override readonly name: string = 'AgentNotFoundError';
  readonly agentType: string;

  constructor(agentType: string, message?: string) {
    super({
      code: 'agent_not_found',
      message:
        message ??
        `No agent "${agentType}" is known in this process; name it at the start, as in createHelix({ agents: [agent] }) or ` +
          `AgentRegistry.register(agent), or hand the agent itself to the call.`,
      statusCode: 404,
    });
    this.agentType = agentType;
  }

  static override isInstance(value: unknown): value is AgentNotFoundError {
    return isHelixErrorWithCode(value, 'agent_not_found');
  }
}

/** A tool or agent was defined in a way that cannot work. */
export class DefinitionError extends HelixError {
  override readonly name: string = 'DefinitionError';

  constructor(message: string, cause?: unknown) {
    super({ code: 'definition_invalid', message, ...(cause !== undefined && { cause }) });
  }

  static override isInstance(value: unknown): value is DefinitionError {
    return isHelixErrorWithCode(value, 'definition_invalid');
  }
}

/** The database's schema is not the one this version works with. */
export class StoreSchemaError extends HelixError {
  override readonly name: string = 'StoreSchemaError';

  constructor(message: string, cause?: unknown) {
    super({ code: 'store_schema_mismatch', message, ...(cause !== undefined && { cause }) });
  }

  static override isInstance(value: unknown): value is StoreSchemaError {
    return isHelixErrorWithCode(value, 'store_schema_mismatch');
  }
}

/** The store's server cannot be reached, refuses to work for now, or the connection broke. */
export class StoreUnavailableError extends HelixError {
  override readonly name: string = 'StoreUnavailableError';

  /**
   * `store` is what the server is called. `unreachable` is the code of an error that came before anything was sent. The message may
   * be stored with a failed run and streamed to a browser, so it has nothing of the driver's text, which may name hosts and users.
   * That is the `cause`, and part of `toString` for logs.
   */
  constructor(cause: Error, store: string = 'The store', unreachable?: string) {
    super({
      code: 'store_unavailable',
      message:
        unreachable === undefined
          ? `${store} is not available. The last write may have been applied; check before retrying.`
          : `${store} cannot be reached (${unreachable}); nothing was written. Check that it is running and that its address is right.`,
      retryable: true,
      statusCode: 503,
      cause,
    });
  }

  override toString(): string {
    return `${super.toString()} (${String(this.cause)})`;
  }

  static override isInstance(value: unknown): value is StoreUnavailableError {
    return isHelixErrorWithCode(value, 'store_unavailable');
  }
}

/** The store's server does not let this process in: a wrong user, password or database name. Nothing was written. */
export class StoreRefusedError extends HelixError {
  override readonly name: string = 'StoreRefusedError';

  /** The message has nothing of the driver's text, for the same reason as that of `StoreUnavailableError`. */
  constructor(message: string, cause: Error) {
    super({ code: 'store_refused', message, statusCode: 503, cause });
  }

  override toString(): string {
    return `${super.toString()} (${String(this.cause)})`;
  }

  static override isInstance(value: unknown): value is StoreRefusedError {
    return isHelixErrorWithCode(value, 'store_refused');
  }
}
