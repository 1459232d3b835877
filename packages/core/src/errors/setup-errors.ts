import { HelixError, isHelixErrorWithCode } from './helix-error.ts';

export class AgentNotFoundError extends HelixError {
  override readonly name: string = 'AgentNotFoundError';
  readonly agentType: string;

  constructor(agentType: string, message?: string) {
    super({
      code: 'agent_not_found',
      message:
        message ??
        `No agent "${agentType}" is known in this process; register it (createHelix({ agents: [agent] }), or the agentRegistry of an executor), or hand the agent itself to the call.`,
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

/** The store's server cannot be reached, refuses to work for now, or the connection broke: whether a write was made is not known. */
export class StoreUnavailableError extends HelixError {
  override readonly name: string = 'StoreUnavailableError';

  /**
   * `store` is what the server is called. The message may be stored with a failed run and streamed to a browser, so it has
   * nothing of the driver's text, which may name hosts and users. That is the `cause`, and part of `toString` for logs.
   */
  constructor(cause: Error, store: string = 'The store') {
    super({
      code: 'store_unavailable',
      message: `${store} is not available; a write that was sent may have been applied. Read before you repeat it.`,
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
