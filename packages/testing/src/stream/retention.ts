// If this fails: old chunks cannot be dropped, or dropping them hides new ones, gives a number twice, or takes somebody
// else's along.
import { describe, expect, it } from 'vitest';
import { entries, numbered, present, readAfter, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

export function retention(open: OpenStreams): void {
  describe('retention', () => {
    it('drops what is older than a number; those that are left keep theirs', async () => {
      const { streams } = await open();
      await streams.append('s1', entries(...numbered(5)));
      await streams.append('s2', entries(...numbered(5)));
      await streams.trimStream('s1', 3);
      expect(await streams.getStreamInfo('s1')).toEqual({
        status: 'active',
        head: 5,
        chunkCount: 2,
      });
      expect((await streams.readChunks('s1')).map((one) => one.sequence)).toEqual([4, 5]);
      expect(await streams.readChunks('s1', { after: 4 })).toEqual([
        { sequence: 5, chunk: textChunk('5') },
      ]);
      expect((await streams.readChunks('s1', { limit: 1 })).map((one) => one.sequence)).toEqual([
        4,
      ]);
      expect(await streams.append('s1', entries('6'))).toBe(6);
      await streams.endStream('s1');
      for (const [after, seen] of [
        [0, [4, 5, 6]],
        [2, [4, 5, 6]],
        [4, [5, 6]],
        [6, []],
      ] as const) {
        expect(await readAfter(streams, 's1', after), `after ${after}`).toEqual(seen);
      }
      expect((await streams.getStreamInfo('s2'))?.chunkCount).toBe(5);
    });

    it('drops everything without giving a number twice', async () => {
      const { streams } = await open();
      await streams.append('s1', entries(...numbered(3)));
      await streams.trimStream('s1', 99);
      await streams.trimStream('s1', 2);
      expect(await streams.getStreamInfo('s1')).toMatchObject({ head: 3, chunkCount: 0 });
      expect(await streams.append('s1', entries('4'))).toBe(4);
      expect(await streams.readChunks('s1')).toEqual([{ sequence: 4, chunk: textChunk('4') }]);
      await streams.trimStream('nowhere', 5);
      expect(await streams.getStreamInfo('nowhere')).toBeNull();
    });

    it('knows the dedupe keys of what is left, and no others', async () => {
      const { streams } = await open();
      for (const key of ['old', 'new']) {
        await streams.append('s1', [{ chunk: textChunk(key), dedupeKey: key }]);
      }
      await streams.trimStream('s1', 1);
      expect(await streams.append('s1', [{ chunk: textChunk('new'), dedupeKey: 'new' }])).toBe(2);
      expect(await streams.append('s1', [{ chunk: textChunk('old'), dedupeKey: 'old' }])).toBe(3);
    });

    it('does not disturb who reads on', async () => {
      const { streams } = await open();
      await streams.append('s1', entries(...numbered(4)));
      const reader = present(await streams.createResumableReader('s1', { afterSequence: 3 }));
      const read: number[] = [];
      for await (const { sequence } of reader) {
        read.push(sequence);
        if (sequence === 4) {
          await streams.trimStream('s1', 4);
          await streams.append('s1', entries('5'));
          await streams.endStream('s1');
        }
      }
      expect(read).toEqual([4, 5]);
    });

    it('still marks and withdraws steps of what is left', async () => {
      const { streams } = await open();
      await streams.append('s1', entries('1'));
      await streams.append('s1', [{ chunk: textChunk('2', { step: 2 }) }]);
      await streams.trimStream('s1', 1);
      await streams.cleanupToStep('s1', 1);
      await streams.resetStream('s1');
      const kept = await streams.readChunks('s1');
      expect(kept.map(({ sequence, chunk }) => [sequence, chunk.type])).toEqual([
        [2, 'text_delta'],
        [3, 'step_discarded'],
        [4, 'stream_resync'],
      ]);
    });

    it('deletes a stream: its readers end, and a new one starts at 1', async () => {
      const { streams } = await open();
      await streams.append('s1', entries(...numbered(3)));
      await streams.append('s2', entries('1'));
      const reader = present(await streams.createResumableReader('s1', { afterSequence: 3 }));
      const ended = (async () => {
        for await (const { sequence } of reader) return sequence;
        return 'ended';
      })();
      await streams.deleteStream('s1');
      expect(await ended).toBe('ended');
      expect(await streams.getStreamInfo('s1')).toBeNull();
      expect(await streams.readChunks('s1')).toEqual([]);
      await streams.deleteStream('s1');
      expect(await streams.append('s1', entries('1'))).toBe(1);
      expect((await streams.getStreamInfo('s2'))?.head).toBe(1);
    });
  });
}
