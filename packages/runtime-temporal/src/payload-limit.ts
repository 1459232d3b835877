import { HelixError, utf8Length } from '@helix-agents/core';

/** What may cross the workflow in one piece. Temporal takes more; ids, enums and counters never need it. */
export const MAX_PAYLOAD_BYTES = 16_384;

/** Throws when something other than ids, enums and counters is about to enter a history. */
export function assertSmall(what: string, payload: unknown): void {
  const bytes = utf8Length(JSON.stringify(payload) ?? '');
  if (bytes <= MAX_PAYLOAD_BYTES) return;
  throw new HelixError({
    code: 'run_failed',
    message: `${what} has ${bytes} bytes; at most ${MAX_PAYLOAD_BYTES} may enter a workflow's history.`,
  });
}

/** As many calls as fit into one payload; what is left over is runnable still when these are done. */
export function fittingCalls<Result extends object>(result: Result): Result {
  if (!('calls' in result) || !Array.isArray(result.calls)) return result;
  const calls: readonly unknown[] = result.calls;
  let bytes = 200;
  const fitting = calls.findIndex((call) => {
    bytes += utf8Length(JSON.stringify(call)) + 1;
    return bytes > MAX_PAYLOAD_BYTES;
  });
  return fitting <= 0 ? result : { ...result, calls: calls.slice(0, fitting) };
}
