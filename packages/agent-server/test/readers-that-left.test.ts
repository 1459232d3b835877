// If this fails: each reader that connects leaves something behind until the run ends.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { agents } from './agents.ts';
import { createTestServer } from './fixtures.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('a reader of a run that goes on leaves nothing behind', async () => {
  const { server, executor } = createTestServer();
  await executor.execute(agents['painter']!, 'slow', { sessionId: 's' });
  const read = async (count: number): Promise<number> => {
    for (let n = 0; n < count; n += 1) {
      const answer = await server.fetch(new Request('http://server/sse?sessionId=s'));
      const reader = answer.body!.getReader();
      await reader.read();
      await reader.read();
      await reader.cancel();
    }
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await read(2_000);
  const after = await read(2_000);
  // 1.5 kB of each would be 3 MB.
  expect(after - before).toBeLessThan(1_000_000);
  await executor.interrupt('s');
});
