/** The position of an event: a chunk of the session's stream, and the index among the chat chunks made from it. */
export interface Place {
  readonly sequence: number;
  readonly index: number;
}

/** Before everything. */
export const BEGINNING: Place = { sequence: 0, index: -1 };

/** The position after all chat chunks made from this chunk of the session's stream; null if the number is not known. */
export function endOf(sequence: number | undefined): Place | null {
  return sequence === undefined ? null : { sequence, index: 999_999 };
}

export function toPlace(id: string | null): Place | null {
  const match = /^(\d+)\.(\d+)$/.exec(id ?? '');
  return match && { sequence: Number(match[1]), index: Number(match[2]) };
}

export function isAfter(place: Place, last: Place): boolean {
  return place.sequence === last.sequence
    ? place.index > last.index
    : place.sequence > last.sequence;
}
