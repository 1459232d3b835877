// If this fails: a client connected to one process does not see what an agent in another one says, or
// a restart loses or renumbers what was said.
import type { FullStreamManager } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { entries, numbered, present, readAll, stored, textChunk } from './chunks.ts';
import type { OpenStreams } from './harness.ts';

export function streamsReopen(open: OpenStreams): void {
  describe('streams that are closed and opened again', () => {
    it('go on where they were', async () => {
      const opened = await open();
      if (!opened.reopen) throw new Error('a persistent manager needs `reopen` to be tested');
      const keyed = { chunk: textChunk('1'), dedupeKey: 'k' };
      await opened.streams.append('s', [keyed]);
      await opened.streams.append('paused', entries('1'));
      await opened.streams.pauseStream('paused');
      const streams = await opened.reopen();
      expect(await streams.readChunks('s')).toEqual(stored('1'));
      expect(await streams.append('s', [keyed, { chunk: textChunk('2') }])).toBe(2);
      expect((await streams.getStreamInfo('paused'))?.status).toBe('paused');
    });
  });
}

export function streamsShared(open: OpenStreams): void {
  const openTwo = async (): Promise<[FullStreamManager, FullStreamManager]> => {
    const opened = await open();
    if (!opened.openSecond) throw new Error('a shared manager needs `openSecond` to be tested');
    return [opened.streams, await opened.openSecond()];
  };

  describe('streams on two connections', () => {
    it('are tailed by the other', async () => {
      const [one, two] = await openTwo();
      await one.createWriter('s', 's1', 'researcher');
      const reading = readAll(present(await two.createResumableReader('s')));
      for (const delta of numbered(10)) await one.append('s', entries(delta));
      await one.endStream('s');
      expect(await reading).toEqual(stored(...numbered(10)));
    });

    it('number the chunks of both without a gap', async () => {
      const both = await openTwo();
      await Promise.all(
        both.flatMap((streams, side) =>
          numbered(3).map(async (name) => {
            const agentId = `${side}-${name}`;
            const writer = await streams.createWriter('s', agentId, 'researcher');
            for (const delta of numbered(20)) await writer.write(textChunk(delta, { agentId }));
          }),
        ),
      );
      const log = await both[1].readChunks('s');
      expect(log.map((item) => item.sequence)).toEqual(numbered(120).map(Number));
    });

    it('announce a key once', async () => {
      const both = await openTwo();
      const entry = { chunk: textChunk('1'), dedupeKey: 'k' };
      await Promise.all(
        both.flatMap((streams) => numbered(5).map(() => streams.append('s', [entry]))),
      );
      expect(await both[0].readChunks('s')).toEqual(stored('1'));
    });

    it('refuse a writer when the other has ended them', async () => {
      const [one, two] = await openTwo();
      const writer = await one.createWriter('s', 's1', 'researcher');
      await writer.write(textChunk('1'));
      await two.endStream('s');
      await expect(writer.write(textChunk('2'))).rejects.toMatchObject({
        code: 'stream_not_active',
      });
    });
  });
}
