import { InvalidRequestError } from '../errors/request-errors.ts';

/** Where a row stands in a listing: a number, then ids that break ties. */
export type ListPosition = readonly [number, ...string[]];

/** A cursor is the position of the last row seen, not an offset: rows that come or go shift nothing. */
export function writeCursor(position: ListPosition): string {
  return JSON.stringify(position);
}

/** Reads a cursor that a listing returned. Any other text is an `InvalidRequestError`. */
export function readCursor(cursor: string, ids: number): ListPosition {
  const position = parse(cursor);
  if (Array.isArray(position) && position.length === ids + 1) {
    const [first, ...rest] = position as readonly unknown[];
    if (Number.isSafeInteger(first) && rest.every((id) => typeof id === 'string')) {
      return position as unknown as ListPosition;
    }
  }
  const message = 'is not one that this listing gave; leave it out to start from the beginning';
  throw new InvalidRequestError([{ path: 'cursor', message }]);
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(cursor);
  } catch {
    return null;
  }
}
