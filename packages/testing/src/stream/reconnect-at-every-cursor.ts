// If this fails: a page that reloads shows half a sentence, or the same sentence twice. STRM-01, S2.
import { describe, expect, it } from 'vitest';
import { entries, numbered, present, readAfter, readAll, readSome, stored } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

export function reconnectAtEveryCursor(open: OpenStreams): void {
  describe('a reader that continues after a number', () => {
    it('gets exactly the rest, at every cursor', async () => {
      const { streams } = await open();
      const count = 40;
      await streams.append('s', entries(...numbered(count)));
      await streams.endStream('s');
      const log = stored(...numbered(count));
      for (let cursor = 0; cursor <= count; cursor += 1) {
        const reader = await streams.createResumableReader('s', { afterSequence: cursor });
        expect(await readAll(reader), `after ${cursor}`).toEqual(log.slice(cursor));
      }
      expect(await readAll(await streams.createResumableReader('s'))).toEqual(log);
    });

    it('gets everything after a negative number and nothing beyond the head of an ended stream', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2'));
      await streams.endStream('s');
      expect(await readAfter(streams, 's', -5)).toEqual([1, 2]);
      expect(await readAfter(streams, 's', 3)).toEqual([]);
      expect(await readAfter(streams, 's', 1e15)).toEqual([]);
    });

    it.each([
      [1e20, 2],
      [Infinity, 2],
      [1.5, 1],
      [NaN, 0],
      [-1e20, 0],
      [-0.5, 0],
    ])('takes %d for a number that a chunk can have', async (odd, meant) => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2'));
      await streams.endStream('s');
      const rest = [1, 2].slice(meant);
      expect(await readAfter(streams, 's', odd)).toEqual(rest);
      const chunks = await streams.readChunks('s', { after: odd });
      expect(chunks.map(({ sequence }) => sequence)).toEqual(rest);
      await streams.trimStream('s', odd);
      expect((await streams.getStreamInfo('s'))?.chunkCount).toBe(rest.length);
      expect(await readAfter(streams, 's', 0)).toEqual(rest);
    });

    it('waits for a number beyond the head', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2', '3'));
      const rest = readAfter(streams, 's', 5);
      await streams.append('s', entries('4', '5'));
      await streams.append('s', entries('6', '7'));
      await streams.endStream('s');
      expect(await rest).toEqual([6, 7]);
    });

    it('joins its pieces to the whole log while others write', async () => {
      const { streams } = await open();
      const total = 200;
      const write = async (): Promise<void> => {
        await streams.createWriter('s', 's1', 'researcher');
        for (let from = 1; from <= total; from += 4) {
          await streams.append('s', entries(...numbered(4, from)));
        }
        await streams.endStream('s');
      };
      const follow = async (stride: number): Promise<number[]> => {
        const read: number[] = [];
        for (let connection = 0; read.length < total; connection += 1) {
          const afterSequence = read.at(-1) ?? 0;
          const reader = await streams.createResumableReader('s', { afterSequence });
          if (!reader) continue;
          const piece = await readSome(reader, 1 + ((connection * stride) % 7));
          read.push(...piece.map((item) => item.sequence));
        }
        return read;
      };
      await streams.createWriter('s', 's1', 'researcher');
      const [, ...pieces] = await Promise.all([write(), follow(1), follow(3), follow(5)]);
      const log = (await streams.readChunks('s')).map((item) => item.sequence);
      expect(log).toHaveLength(total);
      for (const joined of pieces) expect(joined).toEqual(log);
    });

    it('leaves at once without having read, and can come back', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1'));
      expect(await readSome(await streams.createResumableReader('s'), 0)).toEqual([]);
      const again = present(await streams.createResumableReader('s'));
      expect(await readSome(again, 1)).toEqual(stored('1'));
    });
  });
}
