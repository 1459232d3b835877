/** What a failed run said, as a client meets it. */
export class HelixStreamError extends Error {
  override readonly name: string = 'HelixStreamError';
  readonly code: string;
  readonly retryable: boolean;

  constructor(options: {
    readonly message: string;
    readonly code?: string;
    readonly retryable?: boolean;
  }) {
    super(options.message);
    this.code = options.code ?? 'stream_failed';
    this.retryable = options.retryable ?? false;
  }

  /** From an `error` chunk of a session's stream, or of the chat. */
  static fromEvent(event: {
    readonly message?: string;
    readonly errorText?: string;
    readonly code?: string;
    readonly retryable?: boolean;
  }): HelixStreamError {
    const { code, retryable } = event;
    return new HelixStreamError({
      message: event.message ?? event.errorText ?? 'The stream failed.',
      ...(code !== undefined && { code }),
      ...(retryable !== undefined && { retryable }),
    });
  }
}

/** The answer is larger than the server takes (413): send less, or raise its limit. */
export class HelixPayloadTooLargeError extends Error {
  override readonly name: string = 'HelixPayloadTooLargeError';
  readonly code = 'PAYLOAD_TOO_LARGE';

  constructor(message = 'The result is larger than the server accepts.') {
    super(message);
  }
}

/** What a response that is not ok says, as an error to show. */
export async function responseError(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '');
  const { error, code } = readJson(text);
  const message = error ?? (text || `The server answered ${response.status}.`);
  if (response.status === 413) return new HelixPayloadTooLargeError(message);
  return new HelixStreamError({
    message,
    ...(code && { code }),
    retryable: response.status >= 500,
  });
}

function readJson(text: string): { readonly error?: string; readonly code?: string } {
  try {
    const { error, code } = JSON.parse(text) as { error?: unknown; code?: unknown };
    return {
      ...(typeof error === 'string' && { error }),
      ...(typeof code === 'string' && { code }),
    };
  } catch {
    return {};
  }
}
