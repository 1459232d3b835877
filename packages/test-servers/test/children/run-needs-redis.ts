// Runs `needs-redis.ts` as a test run of its own, with the servers of the given address, and says what came of it.
import { basename, dirname } from 'node:path';
import { startVitest } from 'vitest/node';

const suite = new URL('./needs-redis.ts', import.meta.url).pathname;

const vitest = await startVitest('test', [], {
  config: false,
  watch: false,
  root: dirname(suite),
  include: [basename(suite)],
  provide: { testServersUrl: process.argv[2] ?? '' },
  reporters: [{}],
});
const [file] = vitest.state.getFiles();
const errors = (file?.tasks ?? []).flatMap((task) => task.result?.errors ?? []);
const exitCode = process.exitCode ?? 0;
console.log(
  JSON.stringify({
    exitCode,
    state: file?.result?.state,
    errors: errors.map(({ message }) => message),
  }),
);
await vitest.close();
process.exitCode = 0;
