import { HelixError, type HelixErrorOptions } from '@helix-agents/core';

/** A model call that failed. */
export class ProviderError extends HelixError {
  override readonly name: string = 'ProviderError';
  /** How long the provider asked to be left alone, in milliseconds. */
  declare readonly retryAfterMs?: number;

  constructor(options: HelixErrorOptions & { readonly retryAfterMs?: number | undefined }) {
    super(options);
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}
