import { HelixError } from '@helix-agents/core';

/** Another process held the database longer than the busy timeout; nothing was written. Retryable. */
export class StoreBusyError extends HelixError {
  override readonly name: string = 'StoreBusyError';

  constructor(timeoutMs: number, cause: unknown) {
    super({
      code: 'store_busy',
      message: `The database was locked by another process for more than ${timeoutMs} ms; try again, or raise busyTimeoutMs.`,
      retryable: true,
      statusCode: 503,
      cause,
    });
  }

  static override isInstance(value: unknown): value is StoreBusyError {
    return HelixError.isInstance(value) && value.code === 'store_busy';
  }
}
