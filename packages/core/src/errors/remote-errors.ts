import { HelixError, isHelixErrorWithCode } from './helix-error.ts';

/** Another server did not answer, or not now: the same may work later. */
export class RemoteUnreachableError extends HelixError {
  override readonly name: string = 'RemoteUnreachableError';
  /** When to try again, where the server said so. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterMs?: number | null } = {},
  ) {
    super({
      code: 'remote_unreachable',
      message,
      statusCode: 503,
      ...('cause' in options && { cause: options.cause }),
    });
    this.retryAfterMs = options.retryAfterMs ?? null;
  }

  static override isInstance(value: unknown): value is RemoteUnreachableError {
    return isHelixErrorWithCode(value, 'remote_unreachable');
  }
}

/** Another server understood the request and refused it. */
export class RemoteRefusedError extends HelixError {
  override readonly name: string = 'RemoteRefusedError';
  /** HTTP status and code of its answer. */
  readonly status: number;
  readonly remoteCode: string;

  constructor(status: number, remoteCode: string, message: string) {
    super({ code: 'remote_refused', message, statusCode: 502 });
    this.status = status;
    this.remoteCode = remoteCode;
  }

  static override isInstance(value: unknown): value is RemoteRefusedError {
    return isHelixErrorWithCode(value, 'remote_refused');
  }
}

/** What another server answered cannot be used: too large, no JSON, about another session, from another address. */
export class RemoteReplyError extends HelixError {
  override readonly name: string = 'RemoteReplyError';

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super({ code: 'remote_reply_invalid', message, statusCode: 502, ...options });
  }

  static override isInstance(value: unknown): value is RemoteReplyError {
    return isHelixErrorWithCode(value, 'remote_reply_invalid');
  }
}

/** The other server does not speak the protocol: what its agents ask people could not be answered from here. */
export class RemoteSubAgentClientToolUnsupportedError extends HelixError {
  override readonly name: string = 'RemoteSubAgentClientToolUnsupportedError';
  readonly failureReason = 'client-tool-unsupported' as const;

  constructor(url: string) {
    super({
      code: 'remote_client_tool_unsupported',
      message:
        `What answers at ${url} does not say x-helix-protocol: 1, so nobody here could answer what its agents ask people. ` +
        `Check the address, or update the server there.`,
      statusCode: 502,
    });
  }

  static override isInstance(value: unknown): value is RemoteSubAgentClientToolUnsupportedError {
    return isHelixErrorWithCode(value, 'remote_client_tool_unsupported');
  }
}
