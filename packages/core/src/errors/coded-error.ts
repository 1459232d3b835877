import type { ErrorCode } from './codes.ts';

/** An error as data, with one of the known codes. Whatever the engine stores, announces or tells the model is made by this. */
export function codedError(
  code: ErrorCode,
  message: string,
): { readonly code: ErrorCode; readonly message: string } {
  return { code, message };
}

/** Of a session that failed and does not say why. */
export const RUN_FAILED: ReturnType<typeof codedError> = codedError(
  'run_failed',
  'The run failed.',
);
