import { HelixError } from '../errors/helix-error.ts';
import { utf8Length } from '../util/to-json-value.ts';

/** What may cross the loop in one piece. Engines take more; ids, enums and counters never need it. */
const MAX_PAYLOAD_BYTES = 16_384;
/** Of a result around its calls. */
const FRAME_BYTES = 200;

/** Throws when something other than ids, enums and counters is about to enter the history of an engine. */
export function assertSmall(what: string, payload: unknown): void {
  const bytes = utf8Length(JSON.stringify(payload) ?? '');
  if (bytes <= MAX_PAYLOAD_BYTES) return;
  throw new HelixError({
    code: 'run_failed',
    message: `${what} has ${bytes} bytes; at most ${MAX_PAYLOAD_BYTES} may enter a history.`,
  });
}

/** As many calls as fit into one payload; the others are still runnable when these are done. */
export function fittingCalls<Result extends object>(result: Result): Result {
  if (!('calls' in result) || !Array.isArray(result.calls)) return result;
  const calls: readonly unknown[] = result.calls;
  let bytes = FRAME_BYTES;
  const fitting = calls.findIndex((call) => {
    bytes += utf8Length(JSON.stringify(call)) + 1;
    return bytes > MAX_PAYLOAD_BYTES;
  });
  return fitting <= 0 ? result : { ...result, calls: calls.slice(0, fitting) };
}
