import type { ErrorCode } from './codes.ts';

/** An error as data, with one of the known codes. All errors that the engine stores, streams or shows to the model are made here. */
export function codedError(
  code: ErrorCode,
  message: string,
): { readonly code: ErrorCode; readonly message: string } {
  return { code, message };
}

/** For a failed session without a stored error. */
export const RUN_FAILED: ReturnType<typeof codedError> = codedError(
  'run_failed',
  'The run failed.',
);
