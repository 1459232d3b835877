import { categoryOfCode, isRetryableCode, type ErrorCode } from './codes.ts';

const BRAND = Symbol.for('@helix-agents/error');

export interface HelixErrorOptions {
  readonly message: string;
  readonly code: ErrorCode | (string & {});
  /** Follows from the code unless given. */
  readonly retryable?: boolean;
  readonly statusCode?: number;
  readonly cause?: unknown;
  /** Follows from the code unless given. */
  readonly category?: string;
}

/** The one base of every error of this framework. Branch on `code`, never on the text. */
export class HelixError extends Error {
  override readonly name: string = 'HelixError';
  readonly code: ErrorCode | (string & {});
  readonly retryable: boolean;
  readonly category: string;
  declare readonly statusCode?: number;

  constructor(options: HelixErrorOptions) {
    super(options.message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = options.code;
    this.retryable = options.retryable ?? isRetryableCode(options.code);
    this.category = options.category ?? categoryOfCode(options.code);
    Object.defineProperty(this, BRAND, { value: true });
    if (options.statusCode !== undefined) this.statusCode = options.statusCode;
  }

  /** Works across bundles, realms and Workers, where `instanceof` does not. */
  static isInstance(value: unknown): value is HelixError {
    return typeof value === 'object' && value !== null && Reflect.get(value, BRAND) === true;
  }
}

export function isHelixErrorWithCode(value: unknown, code: ErrorCode): value is HelixError {
  return HelixError.isInstance(value) && value.code === code;
}

/** What an unknown thrown value says. Never throws. */
export function errorMessage(value: unknown): string {
  try {
    if (value instanceof Error || HelixError.isInstance(value)) return value.message || value.name;
    const message: unknown =
      typeof value === 'object' && value !== null ? Reflect.get(value, 'message') : undefined;
    return typeof message === 'string' && message !== '' ? message : String(value);
  } catch {
    return 'a value without a message was thrown';
  }
}

/** A `HelixError` as it is; anything else wrapped, with itself as the cause. */
export function toHelixError(value: unknown, code: ErrorCode): HelixError {
  if (HelixError.isInstance(value)) return value;
  return new HelixError({ message: errorMessage(value), code, cause: value });
}
