import { HelixError } from '@helix-agents/core';

/** A value is larger than Cloudflare stores in one row; nothing was written. */
export class ValueTooLargeError extends HelixError {
  override readonly name: string = 'ValueTooLargeError';

  constructor(bytes: number, limit: number) {
    super({
      code: 'store_value_too_large',
      message: `A value of ${bytes} bytes was to be stored and the database takes ${limit}; nothing was written. Keep large values elsewhere, such as in R2, and store where they are.`,
      retryable: false,
      statusCode: 413,
    });
  }

  static override isInstance(value: unknown): value is ValueTooLargeError {
    return HelixError.isInstance(value) && value.code === 'store_value_too_large';
  }
}
