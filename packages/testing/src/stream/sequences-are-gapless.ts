// If this fails: a client that continues "after 41" misses what was said, or one number means two
// things. STRM-06, S1.
import { describe, expect, it } from 'vitest';
import { entries, numbered, stored, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

export function sequencesAreGapless(open: OpenStreams): void {
  describe('sequence numbers', () => {
    it('run 1, 2, 3 without a gap, whoever writes', async () => {
      const { streams } = await open();
      const writer = await streams.createWriter('s', 's1', 'researcher');
      await writer.write(textChunk('1'));
      expect(await streams.append('s', entries('2', '3'))).toBe(3);
      await writer.write(textChunk('4'));
      expect(await streams.readChunks('s')).toEqual(stored('1', '2', '3', '4'));
      expect(await streams.getStreamInfo('s')).toEqual({
        status: 'active',
        head: 4,
        chunkCount: 4,
      });
    });

    it('are unique and contiguous when a parent and five children write at once', async () => {
      const { streams } = await open();
      const names = ['parent', 'a', 'b', 'c', 'd', 'e'];
      await Promise.all(
        names.map(async (agentId) => {
          const writer = await streams.createWriter('s', agentId, 'researcher');
          for (const delta of numbered(50)) await writer.write(textChunk(delta, { agentId }));
        }),
      );
      const log = await streams.readChunks('s');
      expect(log.map((item) => item.sequence)).toEqual(numbered(300).map(Number));
      for (const name of names) {
        const own = log.flatMap(({ chunk }) =>
          chunk.agentId === name && chunk.type === 'text_delta' ? [chunk.delta] : [],
        );
        expect(own, `order of ${name}`).toEqual(numbered(50));
      }
      expect((await streams.getStreamInfo('s'))?.head).toBe(300);
    });

    it('keep the chunks of one append together', async () => {
      const { streams } = await open();
      const heads = await Promise.all(
        numbered(20).map((batch) =>
          streams.append('s', entries(...numbered(5).map((n) => `${batch}.${n}`))),
        ),
      );
      expect(heads.toSorted((a, b) => a - b)).toEqual(numbered(20).map((n) => Number(n) * 5));
      const log = await streams.readChunks('s');
      const batches = log.map(({ chunk }) =>
        chunk.type === 'text_delta' ? chunk.delta.split('.')[0] : '',
      );
      for (let start = 0; start < 100; start += 5) {
        expect(new Set(batches.slice(start, start + 5)).size).toBe(1);
      }
    });

    it('of one stream are not those of another', async () => {
      const { streams } = await open();
      await streams.append('a', entries('1', '2'));
      expect(await streams.append('b', entries('1'))).toBe(1);
      expect(await streams.readChunks('b')).toEqual(stored('1'));
    });

    it('of streams whose ids differ in half of a pair are not mixed', async () => {
      const { streams } = await open();
      const ids = ['s\ud800', 's\ud801', 's\ufffd', 's\ue000d800'];
      for (const id of ids) await streams.append(id, [{ chunk: textChunk(id) }]);
      for (const id of ids) {
        expect(await streams.readChunks(id)).toEqual([{ sequence: 1, chunk: textChunk(id) }]);
      }
    });

    it('give any range', async () => {
      const { streams } = await open();
      await streams.append('s', entries(...numbered(10)));
      const range = async (given: { after?: number; limit?: number }): Promise<number[]> =>
        (await streams.readChunks('s', given)).map((item) => item.sequence);
      expect(await range({ after: 7 })).toEqual([8, 9, 10]);
      expect(await range({ after: 2, limit: 3 })).toEqual([3, 4, 5]);
      expect(await range({ limit: 2 })).toEqual([1, 2]);
      expect(await range({ limit: 0 })).toEqual([]);
      expect(await range({ after: 8, limit: Infinity })).toEqual([9, 10]);
      expect(await range({ after: 10 })).toEqual([]);
      expect(await range({ after: 99 })).toEqual([]);
      expect(await streams.readChunks('unknown')).toEqual([]);
    });

    it.each([-1, 1.5, Number.NaN, -Infinity])('are not read up to %s', async (limit) => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2'));
      await expect(streams.readChunks('s', { limit })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    });

    it('are kept with chunks as they were written', async () => {
      const { streams } = await open();
      const odd = JSON.parse('{"__proto__":{"a":1},"nul":"a\\u0000b","lone":"\\ud83d","n":1e21}');
      const custom = { ...textChunk(''), type: 'custom', name: 'odd', data: odd } as const;
      const { delta: _, ...chunk } = custom;
      await streams.append('s', [{ chunk }]);
      const expected = structuredClone(chunk);
      odd.nul = 'spoiled';
      expect(await streams.readChunks('s')).toEqual([{ sequence: 1, chunk: expected }]);
      expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
    });

    it('reach 10,000', async () => {
      const { streams } = await open();
      for (let from = 1; from <= 10_000; from += 500) {
        await streams.append('s', entries(...numbered(500, from)));
      }
      await streams.endStream('s');
      const reader = await streams.createResumableReader('s', { afterSequence: 9_990 });
      const tail: number[] = [];
      for await (const item of reader ?? []) tail.push(item.sequence);
      expect(tail).toEqual(numbered(10, 9_991).map(Number));
      const all = await streams.createReader('s');
      let count = 0;
      for await (const chunk of all ?? []) {
        count += 1;
        if (chunk.type !== 'text_delta' || chunk.delta !== `${count}`) break;
      }
      expect(count).toBe(10_000);
    });
  });
}
