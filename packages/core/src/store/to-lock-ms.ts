import { InvalidRequestError } from '../errors/request-errors.ts';

/** The time of a lock in whole milliseconds, rounded up. One that would never end, or ends before it begins, is refused. */
export function toLockMs(ttlMs: number): number {
  const whole = Math.ceil(ttlMs);
  if (ttlMs > 0 && Number.isSafeInteger(whole)) return whole;
  const message = 'must be a number of milliseconds above 0';
  throw new InvalidRequestError([{ path: 'ttlMs', message }]);
}
