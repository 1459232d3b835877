// If this fails: a large result is cut, or half a step is stored when a result is too large for the database.
import { describe, expect, it } from 'vitest';
import type { OpenStore } from './harness.ts';
import { recordFor, seed } from './plans.ts';
import { resultRow, sessionRow } from './rows.ts';

export function largeValues(open: OpenStore, largestBytes: number = Infinity): void {
  const megabytes = largestBytes > 6_000_000 ? 5 : 1;

  describe('large values', () => {
    it(`keeps ${megabytes} MB in one result`, async () => {
      const { store } = await open();
      const row = sessionRow();
      await seed(store, { sessions: [row] });
      const big = 'wörd '.repeat(megabytes * 200_000);
      expect(await store.commit(recordFor(row, { journal: [resultRow(big)] }))).toBe(true);
      const [found] = (await store.readStep(row))?.journal ?? [];
      expect(JSON.stringify(found) === JSON.stringify(resultRow(big))).toBe(true);
    });

    if (largestBytes === Infinity) return;
    it('refuses a larger one and writes nothing of its commit', async () => {
      const { store } = await open();
      const row = sessionRow();
      await seed(store, { sessions: [row] });
      const plan = recordFor(row, { journal: [resultRow('ö'.repeat(largestBytes / 2))] });
      await expect(store.commit(plan)).rejects.toMatchObject({
        code: 'store_value_too_large',
        retryable: false,
      });
      expect(await store.readSession(row)).toEqual(row);
      expect((await store.readStep(row))?.journal).toEqual([]);
    });
  });
}
