import { InvalidRequestError } from '../errors/request-errors.ts';

/** How many chunks to read at most: a whole number from 0, or Infinity for all there are. Anything else is refused. */
export function toLimit(given: number = Infinity): number {
  if (given === Infinity) return Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(given) && given >= 0) return given;
  const message = 'must be a whole number from 0; leave it out to read all';
  throw new InvalidRequestError([{ path: 'limit', message }]);
}
