// If this fails: a stream with large chunks is cut short, or one of them is skipped where a reader turns a page.
import { describe, expect, it } from 'vitest';
import { present, readAfter, readSome, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

/** Around and far beyond what a reader holds at a time, between many that are tiny. */
const SIZES = [1, 40_000, 40_000, 1, 65_536, 1, 300_000, 1, 1, 30_000, 30_000, 30_000, 30_000, 1];

export function largeChunks(open: OpenStreams): void {
  describe('chunks that fill a page by themselves', () => {
    it('are all read, in order, from every number on', async () => {
      const { streams } = await open();
      const chunks = SIZES.map((size, index) => textChunk(`${index} `.padEnd(size, 'ä')));
      for (const chunk of chunks) await streams.append('s', [{ chunk }]);
      const reader = present(await streams.createResumableReader('s'));
      const live = await readSome(reader, SIZES.length);
      expect(live.map((stored) => stored.chunk)).toEqual(chunks);
      await streams.endStream('s');
      for (let after = 0; after <= SIZES.length; after += 1) {
        const expected = chunks.slice(after).map((_, index) => after + index + 1);
        expect(await readAfter(streams, 's', after), `after ${after}`).toEqual(expected);
      }
    });
  });
}
