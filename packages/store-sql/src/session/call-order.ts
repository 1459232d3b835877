import type { OpenCallRow } from '@helix-agents/core';

/**
 * Oldest first, then by their place in the step. Sorting few calls here is faster than in the database.
 */
export function inCallOrder(rows: readonly OpenCallRow[]): readonly OpenCallRow[] {
  return rows.length < 2 ? rows : rows.toSorted(byCallOrder);
}

function byCallOrder(a: OpenCallRow, b: OpenCallRow): number {
  return (
    a.openedAt - b.openedAt ||
    a.ownerStepId - b.ownerStepId ||
    a.ownerIndex - b.ownerIndex ||
    compareText(a.toolCallId, b.toolCallId) ||
    compareText(a.part, b.part)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
