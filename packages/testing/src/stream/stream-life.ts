// If this fails: the second turn of a conversation has no stream, a client spins for ever on a
// finished one, or a dead run goes on writing. STRM-07, STRM-09.
import type { StreamClose } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { entries, numbered, present, readAfter, readAll, stored, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

const notActive = { code: 'stream_not_active', name: 'StreamNotActiveError' };

const CLOSED = ['paused', 'ended', 'failed'] as const;

function closing(status: (typeof CLOSED)[number]): StreamClose {
  if (status === 'failed') return { as: status, error: 'because' };
  return status === 'ended' ? { as: status, output: { done: true } } : { as: status };
}

export function streamLife(open: OpenStreams): void {
  describe('a stream that does not exist', () => {
    it('has no reader and no info, and is created by the first writer', async () => {
      const { streams } = await open();
      expect(await streams.createReader('s')).toBeNull();
      expect(await streams.createResumableReader('s')).toBeNull();
      expect(await streams.getStreamInfo('s')).toBeNull();
      await streams.createWriter('s', 's1', 'researcher');
      expect(await streams.getStreamInfo('s')).toEqual({
        status: 'active',
        head: 0,
        chunkCount: 0,
      });
      expect(await streams.createReader('s')).not.toBeNull();
    });

    it('is there and active once it was opened', async () => {
      const { streams } = await open();
      await streams.openStream('s', 's1', 'researcher');
      expect(await streams.getStreamInfo('s')).toEqual({
        status: 'active',
        head: 0,
        chunkCount: 0,
      });
      expect(await streams.append('s', entries('1'))).toBe(1);
    });

    it.each(CLOSED)('begins and is %s with its last chunks', async (status) => {
      const { streams } = await open();
      expect(await streams.appendAndClose('s', entries('1'), closing(status))).toBe(1);
      expect(await streams.getStreamInfo('s')).toEqual({ status, head: 1, chunkCount: 1 });
      expect(await streams.readChunks('s')).toEqual(stored('1'));
    });

    it('is not made by a write that wants it to be there', async () => {
      const { streams } = await open();
      const there = { create: false };
      await expect(streams.append('s', entries('1'), there)).rejects.toMatchObject(notActive);
      const last = streams.appendAndClose('s', entries('1'), { as: 'ended' }, there);
      await expect(last).rejects.toMatchObject(notActive);
      expect(await streams.getStreamInfo('s')).toBeNull();
      expect(await streams.readChunks('s')).toEqual([]);
      await streams.openStream('s', 's1', 'researcher');
      expect(await streams.append('s', entries('1'), there)).toBe(1);
      expect(await streams.appendAndClose('s', entries('2'), { as: 'ended' }, there)).toBe(2);
    });

    it('stays away when it is deleted while such writes are under way', async () => {
      const { streams } = await open();
      for (let round = 0; round < 10; round += 1) {
        await streams.openStream('s', 's1', 'researcher');
        const writing = numbered(20).map((text) =>
          streams.append('s', entries(text), { create: false }),
        );
        const deleting = streams.deleteStream('s');
        await Promise.allSettled([...writing, deleting]);
        expect(await streams.getStreamInfo('s')).toBeNull();
        expect(await streams.readChunks('s')).toEqual([]);
      }
    });

    it('is left alone by everything that changes a stream', async () => {
      const { streams } = await open();
      await streams.endStream('s');
      await streams.failStream('s', 'x');
      await streams.pauseStream('s');
      await streams.cleanupToStep('s', 1);
      await streams.resetStream('s');
      expect(await streams.createReader('s')).toBeNull();
    });
  });

  describe('a writer', () => {
    it('is freed without ending the stream', async () => {
      const { streams } = await open();
      const writer = await streams.createWriter('s', 's1', 'researcher');
      await writer.write(textChunk('1'));
      await writer.close();
      expect((await streams.getStreamInfo('s'))?.status).toBe('active');
      const next = await streams.createWriter('s', 's1', 'researcher');
      await next.write(textChunk('2'));
      expect(await streams.readChunks('s')).toEqual(stored('1', '2'));
    });
  });

  describe.each([
    ['paused', 'pauseStream'],
    ['ended', 'endStream'],
    ['failed', 'failStream'],
  ] as const)('a stream that is %s', (status, method) => {
    it('ends its readers after the last chunk and says so', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1'));
      const reading = readAll(await streams.createResumableReader('s'));
      await streams.append('s', entries('2'));
      await streams[method]('s', 'because');
      expect(await reading).toEqual(stored('1', '2'));
      expect(await streams.getStreamInfo('s')).toEqual({ status, head: 2, chunkCount: 2 });
    });

    it('refuses writers with a typed error, and nothing is written', async () => {
      const { streams } = await open();
      const writer = await streams.createWriter('s', 's1', 'researcher');
      await writer.write(textChunk('1'));
      await streams[method]('s', 'because');
      await expect(writer.write(textChunk('2'))).rejects.toMatchObject(notActive);
      await expect(streams.append('s', entries('2'))).rejects.toMatchObject(notActive);
      const other = await streams.createWriter('s', 's1', 'researcher');
      await expect(other.write(textChunk('2'))).rejects.toMatchObject(notActive);
      expect(await streams.readChunks('s')).toEqual(stored('1'));
      expect((await streams.getStreamInfo('s'))?.status).toBe(status);
    });

    it('shows its chunks to who comes later, then ends', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1', '2'));
      await streams[method]('s', 'because');
      expect(await readAfter(streams, 's', 0)).toEqual([1, 2]);
      expect(await readAfter(streams, 's', 1)).toEqual([2]);
      const reader = await streams.createReader('s');
      if (status === 'failed') expect(reader).toBeNull();
      else expect(await readAll(reader)).toEqual([textChunk('1'), textChunk('2')]);
    });

    it('goes on with the next number when it is reactivated', async () => {
      const { streams } = await open();
      const writer = await streams.createWriter('s', 's1', 'researcher');
      await writer.write(textChunk('1'));
      await streams[method]('s', 'because');
      await streams.reactivateStream('s');
      expect((await streams.getStreamInfo('s'))?.status).toBe('active');
      const iterator = present(await streams.createResumableReader('s', { afterSequence: 1 }))[
        Symbol.asyncIterator
      ]();
      const live = iterator.next();
      expect(await streams.append('s', entries('2'))).toBe(2);
      expect((await live).value).toEqual({ sequence: 2, chunk: textChunk('2') });
      await writer.write(textChunk('3'));
      await streams.endStream('s');
      expect(await readAll(await streams.createResumableReader('s'))).toEqual(
        stored('1', '2', '3'),
      );
    });

    it('is closed by the write that brings its last chunks', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1'));
      const reading = readAll(await streams.createResumableReader('s'));
      expect(await streams.appendAndClose('s', entries('2', '3'), closing(status))).toBe(3);
      expect(await reading).toEqual(stored('1', '2', '3'));
      expect(await streams.getStreamInfo('s')).toEqual({ status, head: 3, chunkCount: 3 });
    });

    it('keeps last chunks out that come too late, and stays as it is', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1'));
      await streams[method]('s', 'because');
      for (const other of CLOSED) {
        const late = streams.appendAndClose('s', entries('2'), closing(other));
        await expect(late).rejects.toMatchObject(notActive);
      }
      expect(await streams.readChunks('s')).toEqual(stored('1'));
      expect((await streams.getStreamInfo('s'))?.status).toBe(status);
    });

    it('is active after it was opened, and goes on with the next number', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1'));
      await streams[method]('s', 'because');
      await streams.openStream('s', 's1', 'researcher');
      await streams.openStream('s', 's1', 'researcher');
      expect(await streams.getStreamInfo('s')).toEqual({
        status: 'active',
        head: 1,
        chunkCount: 1,
      });
      expect(await streams.append('s', entries('2'))).toBe(2);
    });

    it('is the same when it is closed twice', async () => {
      const { streams } = await open();
      await streams.append('s', entries('1'));
      await streams[method]('s', 'because');
      await streams[method]('s', 'again');
      expect(await streams.getStreamInfo('s')).toEqual({ status, head: 1, chunkCount: 1 });
    });
  });
}
