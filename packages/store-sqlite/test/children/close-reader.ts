// Waits on a live stream, closes the reader, and must then have nothing left that keeps it running.
import { openSqlite } from '../../src/index.ts';

const { streamManager } = openSqlite(':memory:', { pollMs: 60_000 });
await streamManager.createWriter('s1', 's1', 'a');
const readers = [await streamManager.createReader('s1'), await streamManager.createReader('s1')];
const ended = readers.map(async (reader) => {
  for await (const chunk of reader!) process.stdout.write(chunk.type);
});
await new Promise((resolve) => setTimeout(resolve, 20));
readers[0]!.close();
await ended[0];
process.stdout.write('one ');
streamManager.close();
await ended[1];
process.stdout.write('two');
