import { HelixError, isHelixErrorWithCode } from './helix-error.ts';

/** A server refused a request for its size before it read it. */
export class HelixPayloadTooLargeError extends HelixError {
  override readonly name: string = 'HelixPayloadTooLargeError';
  /** What the server takes, where it said so. */
  readonly maxBytes: number | null;

  constructor(options: { readonly maxBytes?: number | null; readonly message?: string } = {}) {
    const maxBytes = options.maxBytes ?? null;
    super({
      code: 'PAYLOAD_TOO_LARGE',
      message:
        options.message ??
        `The request is larger than the server takes${maxBytes === null ? '' : ` (${maxBytes} bytes)`}; ` +
          'send less, or raise maxResultBytes of its submitToolResultSchema.',
      statusCode: 413,
    });
    this.maxBytes = maxBytes;
  }

  static override isInstance(value: unknown): value is HelixPayloadTooLargeError {
    return isHelixErrorWithCode(value, 'PAYLOAD_TOO_LARGE');
  }
}

/** An error a stream told about: an `error` or `run_failed` chunk, or a stream's own error event. */
export class HelixStreamError extends HelixError {
  override readonly name: string = 'HelixStreamError';

  /** Accepts any shape: missing fields are filled in. Never throws. */
  static fromEvent(event: unknown): HelixStreamError {
    const fields: Record<string, unknown> =
      typeof event === 'object' && event !== null ? { ...event } : { message: event };
    const text = (value: unknown): string | undefined =>
      typeof value === 'string' && value !== '' ? value : undefined;
    const category = text(fields['category']);
    return new HelixStreamError({
      message: text(fields['message']) ?? text(fields['error']) ?? 'The stream failed.',
      code: text(fields['code']) ?? 'stream_failed',
      ...(typeof fields['retryable'] === 'boolean' && { retryable: fields['retryable'] }),
      ...(category !== undefined && { category }),
      cause: event,
    });
  }
}
