import type { Page } from '@helix-agents/core';
import { readCursor, writeCursor, type ListPosition } from '@helix-agents/core/store';

const DEFAULT_LIMIT = 100;

/** Cuts one page out of sorted rows. */
export function pageOf<T>(
  sorted: readonly T[],
  positionOf: (row: T) => ListPosition,
  options: {
    /** How many ids a cursor position has. */
    readonly ids: number;
    readonly limit?: number;
    readonly cursor?: string;
    readonly descending?: boolean;
  },
): Page<T> {
  const { ids, limit = DEFAULT_LIMIT, cursor, descending = false } = options;
  const last = cursor === undefined ? null : readCursor(cursor, ids);
  const start =
    last === null
      ? 0
      : sorted.findIndex((row) => comparePositions(positionOf(row), last, descending) > 0);
  const items = start === -1 ? [] : sorted.slice(start, start + limit);
  const end = items.at(-1);
  const more = end !== undefined && start + items.length < sorted.length;
  return { items, cursor: more ? writeCursor(positionOf(end)) : null };
}

/** `descending` reverses the order of the number; ids always ascend. */
export function comparePositions(a: ListPosition, b: ListPosition, descending: boolean): number {
  if (a[0] !== b[0]) return descending ? b[0] - a[0] : a[0] - b[0];
  for (let index = 1; index < a.length; index += 1) {
    const [left, right] = [a[index] as string, b[index] as string];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
