// If this fails: a question announced again after a crash shows as two questions. STRM-02.
import { describe, expect, it } from 'vitest';
import { numbered, stored, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

export function dedupe(open: OpenStreams): void {
  describe('a dedupe key', () => {
    it('is written once, and the rest of its batch still is', async () => {
      const { streams } = await open();
      const call = { chunk: textChunk('1'), dedupeKey: 'call' };
      expect(await streams.append('s', [call])).toBe(1);
      expect(await streams.append('s', [call]), 'the head stays').toBe(1);
      const repeated = { chunk: textChunk('other text'), dedupeKey: 'call' };
      expect(await streams.append('s', [repeated, { chunk: textChunk('2') }])).toBe(2);
      expect(await streams.readChunks('s')).toEqual(stored('1', '2'));
    });

    it('is written once when it is twice in one batch', async () => {
      const { streams } = await open();
      const twice = { chunk: textChunk('1'), dedupeKey: 'k' };
      expect(await streams.append('s', [twice, twice, { chunk: textChunk('2') }])).toBe(2);
      expect(await streams.readChunks('s')).toEqual(stored('1', '2'));
    });

    it('is written by one of many at once, and costs no number', async () => {
      const { streams } = await open();
      await Promise.all(
        numbered(20).map((n) =>
          streams.append('s', [
            { chunk: textChunk('announced'), dedupeKey: 'k' },
            { chunk: textChunk(n) },
          ]),
        ),
      );
      const log = await streams.readChunks('s');
      expect(log.map((item) => item.sequence)).toEqual(numbered(21).map(Number));
      const announced = log.filter(
        ({ chunk }) => chunk.type === 'text_delta' && chunk.delta === 'announced',
      );
      expect(announced).toHaveLength(1);
    });

    it('is told from every other, whatever characters it has', async () => {
      const { streams } = await open();
      const odd = ['k\ud800', 'k\ud801', 'k\ufffd', 'k%d800', 'k:', 'k\u0000', 'k', '', '%'];
      const entries = odd.map((dedupeKey) => ({ chunk: textChunk(dedupeKey), dedupeKey }));
      expect(await streams.append('s', entries)).toBe(odd.length);
      expect(await streams.append('s', entries), 'and known again').toBe(odd.length);
    });

    it('may be empty, which is not the same as none', async () => {
      const { streams } = await open();
      const [keyed, plain] = [{ chunk: textChunk('1'), dedupeKey: '' }, { chunk: textChunk('2') }];
      expect(await streams.append('s', [keyed, plain, plain])).toBe(3);
      expect(await streams.append('s', [keyed, plain])).toBe(4);
      expect(await streams.readChunks('s')).toEqual(stored('1', '2', '2', '2'));
    });

    it('belongs to its stream', async () => {
      const { streams } = await open();
      const entry = { chunk: textChunk('1'), dedupeKey: 'k' };
      await streams.append('a', [entry]);
      expect(await streams.append('b', [entry])).toBe(1);
    });

    it('is still known after the stream was paused and taken up again', async () => {
      const { streams } = await open();
      const entry = { chunk: textChunk('1'), dedupeKey: 'k' };
      await streams.append('s', [entry]);
      await streams.pauseStream('s');
      await streams.reactivateStream('s');
      expect(await streams.append('s', [entry])).toBe(1);
    });
  });
}
