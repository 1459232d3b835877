// If this fails: an answer appears only after a reload, one slow browser stops everybody else, or a
// closed connection keeps a process busy. STRM-05.
import { describe, expect, it } from 'vitest';
import { entries, numbered, present, readAll, readSome, stored, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

export function liveTail(open: OpenStreams): void {
  describe('a live reader', () => {
    it('gets chunks in order as they are written, then the end', async () => {
      const { streams } = await open();
      const writer = await streams.createWriter('s', 's1', 'researcher');
      const reader = present(await streams.createReader('s'));
      const reading = readAll(reader);
      for (const delta of numbered(20)) await writer.write(textChunk(delta));
      await streams.endStream('s');
      expect(await reading).toEqual(numbered(20).map((delta) => textChunk(delta)));
    });

    it('gets a chunk while it is waiting for one', async () => {
      const { streams } = await open();
      await streams.createWriter('s', 's1', 'researcher');
      const iterator = present(await streams.createResumableReader('s'))[Symbol.asyncIterator]();
      for (const delta of numbered(5)) {
        const next = iterator.next();
        await streams.append('s', entries(delta));
        expect((await next).value).toMatchObject({ chunk: textChunk(delta) });
      }
    });

    it('comes late and still gets everything', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2'));
      const reader = present(await streams.createResumableReader('s'));
      expect(await readSome(reader, 2)).toEqual(stored('1', '2'));
      await streams.append('s', entries('3'));
      await streams.endStream('s');
      const late = await readAll(await streams.createResumableReader('s'));
      expect(late).toEqual(stored('1', '2', '3'));
    });

    it('has its own place: several read everything, each', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2', '3'));
      const readers = await Promise.all(numbered(5).map(() => streams.createResumableReader('s')));
      const reading = readers.map((reader) => readAll(reader));
      await streams.append('s', entries('4'));
      await streams.endStream('s');
      for (const read of await Promise.all(reading))
        expect(read).toEqual(stored('1', '2', '3', '4'));
    });

    it('that never reads, or reads slowly, holds nobody', async () => {
      const { streams } = await open();
      await streams.createWriter('s', 's1', 'researcher');
      const never = present(await streams.createResumableReader('s'));
      const slow = present(await streams.createResumableReader('s'));
      const slowly = slow[Symbol.asyncIterator]();
      const first = slowly.next();
      const fast = readAll(await streams.createResumableReader('s'));
      for (let from = 1; from <= 1_000; from += 50) {
        await streams.append('s', entries(...numbered(50, from)));
      }
      await streams.endStream('s');
      expect(await fast).toHaveLength(1_000);
      expect((await first).value).toMatchObject({ sequence: 1 });
      expect((await slowly.next()).value, 'and misses nothing').toMatchObject({ sequence: 2 });
      slow.close();
      never.close();
    });

    it('ends when it is closed, also while it waits', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1'));
      const reader = present(await streams.createResumableReader('s'));
      const iterator = reader[Symbol.asyncIterator]();
      await iterator.next();
      const waiting = iterator.next();
      reader.close();
      expect((await waiting).done).toBe(true);
      expect((await iterator.next()).done, 'and stays so').toBe(true);
      reader.close();
      expect(await streams.append('s', entries('2')), 'the stream does not mind').toBe(2);
    });

    it('that leaves a loop early does not disturb the others', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2'));
      const staying = readAll(await streams.createResumableReader('s'));
      await readSome(await streams.createResumableReader('s'), 1);
      await streams.append('s', entries('3'));
      await streams.endStream('s');
      expect(await staying).toEqual(stored('1', '2', '3'));
    });
  });
}
