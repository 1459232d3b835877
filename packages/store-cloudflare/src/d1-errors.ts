import { HelixError, StoreUnavailableError } from '@helix-agents/core';

/** D1 refused a statement: a fault of the code or of the database, which no repetition mends. Nothing was written. */
export class D1StateError extends HelixError {
  override readonly name: string = 'D1StateError';

  /** The message has nothing of D1's text, which may quote values: that is the `cause`. */
  constructor(cause: unknown) {
    super({
      code: 'store_refused',
      message: 'D1 refused a statement; nothing was written. The cause says why.',
      statusCode: 503,
      cause,
    });
  }

  static override isInstance(value: unknown): value is D1StateError {
    return HelixError.isInstance(value) && value.name === 'D1StateError';
  }
}

/** The request was turned away before it ran. */
const NEVER_RAN = /overloaded|too many requests queued|requests queued for too long/i;
/** The connection broke, or the database moved or restarted: a write may have been applied. */
const PASSING =
  /network connection lost|reset because|caused object to be reset|cannot resolve d1 db|internal error|storage operation exceeded timeout|isolate exceeded|replica|starting up d1/i;
const UNIQUE = /unique constraint failed|sqlite_constraint_(unique|primarykey|rowid)/i;
const CONSTRAINT = /constraint/i;

export function neverRan(error: unknown): boolean {
  return NEVER_RAN.test(textOf(error));
}

export function isPassing(error: unknown): boolean {
  return neverRan(error) || PASSING.test(textOf(error));
}

export function isUnique(error: unknown): boolean {
  return UNIQUE.test(textOf(error));
}

/** A violated constraint is left as it is: it is how a write learns that it came second. */
export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Error) || HelixError.isInstance(error)) return error;
  if (neverRan(error)) return new StoreUnavailableError(error, 'D1', 'overloaded');
  if (isPassing(error)) return new StoreUnavailableError(error, 'D1');
  return CONSTRAINT.test(textOf(error)) ? error : new D1StateError(error);
}

/** Also that of its cause, where D1 sometimes says why. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`;
}
