// If this fails: a slow or new reader holds hundreds of large chunks in memory. STRM-05.
import { LOG_PAGE_BYTES } from '@helix-agents/core/store';
import { describeServer } from '@helix-agents/test-servers';
import { textChunk } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { RedisStreamManager } from '../src/index.ts';
import { openSpace } from './connections.ts';

describeServer('redis', () => {
  it('a reader buffers a bounded number of bytes, or one chunk', async () => {
    const space = await openSpace();
    const client = new Redis(space.url);
    onTestFinished(async () => {
      client.disconnect();
      await space.close();
    });
    const replies: number[] = [];
    const counting = {
      options: {},
      duplicate: () => client.duplicate(),
      async call(command: string, args: (string | number)[]) {
        const reply = await client.call(command, args);
        replies.push(JSON.stringify(reply)?.length ?? 0);
        return reply;
      },
    };
    const streams = new RedisStreamManager(counting, { prefix: space.prefix });
    onTestFinished(() => streams.close());
    const chunk = textChunk('x'.repeat(10_000));
    for (let count = 0; count < 100; count += 1) await streams.append('s', [{ chunk }]);
    await streams.endStream('s');
    replies.length = 0;
    const read: number[] = [];
    for await (const { sequence } of (await streams.createResumableReader('s')) ?? []) {
      read.push(sequence);
    }
    expect(read).toHaveLength(100);
    expect(replies.length).toBeGreaterThan(10);
    // Quotes in JSON are escaped once more here.
    for (const bytes of replies) expect(bytes).toBeLessThan(LOG_PAGE_BYTES + 12_000);
  });
});
