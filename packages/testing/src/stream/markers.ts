// If this fails: after a crash or a fresh start clients keep text that was withdrawn, or a number they
// remember suddenly means something else. STRM-03.
import { describe, expect, it } from 'vitest';
import { entries, readAll, stored, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

export function markers(open: OpenStreams): void {
  describe('withdrawing chunks', () => {
    it('marks each later step of each agent, and keeps every chunk and number', async () => {
      const { streams } = await open();
      const chunks = [
        textChunk('1', { step: 1 }),
        textChunk('2', { step: 2 }),
        textChunk('3', { step: 3 }),
        textChunk('4', { step: 3, agentId: 'child', agentType: 'helper' }),
        textChunk('5', { step: 3 }),
      ];
      await streams.append(
        's',
        chunks.map((chunk) => ({ chunk })),
      );
      await streams.cleanupToStep('s', 2);
      const log = await streams.readChunks('s');
      expect(log.map((item) => item.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(log.slice(0, 5).map((item) => item.chunk)).toEqual(chunks);
      const marks = log.slice(5).map(({ chunk }) => chunk);
      expect(marks.map(({ type, step }) => ({ type, step }))).toEqual([
        { type: 'step_discarded', step: 3 },
        { type: 'step_discarded', step: 3 },
      ]);
      expect(new Map(marks.map((mark) => [mark.agentId, mark.agentType]))).toEqual(
        new Map([
          ['child', 'helper'],
          ['s1', 'researcher'],
        ]),
      );
    });

    it('marks nothing twice', async () => {
      const { streams } = await open();
      await streams.append('s', [{ chunk: textChunk('1', { step: 2 }) }]);
      await streams.cleanupToStep('s', 1);
      await streams.cleanupToStep('s', 1);
      expect((await streams.getStreamInfo('s'))?.head).toBe(2);
      await streams.append('s', [{ chunk: textChunk('again', { step: 2 }) }]);
      await streams.cleanupToStep('s', 1);
      expect((await streams.getStreamInfo('s'))?.head, 'what came after is').toBe(4);
    });

    it('reaches readers that are attached', async () => {
      const { streams } = await open();
      await streams.append('s', [{ chunk: textChunk('1', { step: 2 }) }]);
      const reading = readAll(await streams.createResumableReader('s', { afterSequence: 1 }));
      await streams.cleanupToStep('s', 1);
      await streams.endStream('s');
      expect((await reading).map(({ sequence, chunk }) => [sequence, chunk.type])).toEqual([
        [2, 'step_discarded'],
      ]);
    });

    it('also works on a stream that is not active, and leaves it so', async () => {
      const { streams } = await open();
      await streams.append('s', [{ chunk: textChunk('1', { step: 2 }) }]);
      await streams.pauseStream('s');
      await streams.cleanupToStep('s', 1);
      await streams.resetStream('s');
      expect(await streams.getStreamInfo('s')).toEqual({
        status: 'paused',
        head: 3,
        chunkCount: 3,
      });
    });
  });

  describe('resetting a stream', () => {
    it('adds a marker and goes on counting', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2'));
      await streams.resetStream('s');
      expect(await streams.append('s', entries('4'))).toBe(4);
      const log = await streams.readChunks('s');
      expect(log.slice(0, 2)).toEqual(stored('1', '2'));
      expect(log[2]).toMatchObject({ sequence: 3, chunk: { type: 'stream_resync' } });
      expect(log[2]?.chunk).toMatchObject({ agentId: 's1', agentType: 'researcher' });
      expect(log[3]).toEqual({ sequence: 4, chunk: textChunk('4') });
    });
  });
}
