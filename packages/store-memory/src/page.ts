import type { Page } from '@helix-agents/core';

/** Where a row stands in a listing: a number, then ids that break ties. */
export type Position = readonly [number, ...string[]];

const DEFAULT_LIMIT = 100;

/**
 * Cuts one page out of sorted rows. The cursor is the position of the page's last row, not an offset:
 * rows that come or go between two pages shift nothing.
 */
export function pageOf<T>(
  sorted: readonly T[],
  positionOf: (row: T) => Position,
  options: { readonly limit?: number; readonly cursor?: string; readonly descending?: boolean },
): Page<T> {
  const { limit = DEFAULT_LIMIT, cursor, descending = false } = options;
  const last = cursor === undefined ? null : (JSON.parse(cursor) as Position);
  const start =
    last === null
      ? 0
      : sorted.findIndex((row) => comparePositions(positionOf(row), last, descending) > 0);
  const items = start === -1 ? [] : sorted.slice(start, start + limit);
  const end = items.at(-1);
  const more = end !== undefined && start + items.length < sorted.length;
  return { items, cursor: more ? JSON.stringify(positionOf(end)) : null };
}

/** `descending` turns the number around; ids always ascend. */
export function comparePositions(a: Position, b: Position, descending: boolean): number {
  if (a[0] !== b[0]) return descending ? b[0] - a[0] : a[0] - b[0];
  for (let index = 1; index < a.length; index += 1) {
    const [left, right] = [a[index] as string, b[index] as string];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
