import type { WirePage } from '../wire.ts';

/** Largest page, as JSON. */
const MAX_PAGE_BYTES = 1_048_576;
/** How many rows are in memory at once: a row may be far larger than the part of it that is returned. */
const ROWS_AT_ONCE = 8;

/** One page of a listing, of at most `limit` rows after `cursor`. */
export type ReadRows<Row> = (cut: {
  readonly limit: number;
  readonly cursor?: string;
}) => Promise<{ readonly items: readonly Row[]; readonly cursor: string | null }>;

/** A page of limited size: it may end early, and its cursor continues there. It has at least one item, of any size. */
export async function readPage<Row, View>(
  read: ReadRows<Row>,
  view: (row: Row) => View,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<WirePage<View>> {
  const items: View[] = [];
  let bytes = 0;
  let after = cursor;
  for (;;) {
    const from = after === undefined ? {} : { cursor: after };
    const page = await read({ limit: Math.min(ROWS_AT_ONCE, limit - items.length), ...from });
    const views = page.items.map(view);
    const sizes = views.map(jsonLength);
    const fitting = countFitting(sizes, MAX_PAGE_BYTES - bytes);
    if (fitting < views.length) {
      if (fitting === 0 && after !== undefined && items.length > 0) return { items, cursor: after };
      // Cursors exist only at the end of a page, so the rows that fit are read again as a page of their own.
      const cut = await read({ limit: Math.max(1, fitting), ...from });
      return { items: [...items, ...cut.items.map(view)], cursor: cut.cursor };
    }
    items.push(...views);
    for (const size of sizes) bytes += size;
    if (page.cursor === null || items.length >= limit) return { items, cursor: page.cursor };
    after = page.cursor;
  }
}

/** How many of the first items fit into this many bytes. */
function countFitting(sizes: readonly number[], room: number): number {
  let left = room;
  const over = sizes.findIndex((size) => (left -= size) < 0);
  return over === -1 ? sizes.length : over;
}

function jsonLength(value: unknown): number {
  return JSON.stringify(value).length;
}
