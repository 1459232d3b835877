// Moves the status of session `s1` at random; prints what it did and what it was told.
import { moveStatusAtRandom } from '@helix-agents/testing';
import { SqliteStateStore } from '../../src/index.ts';

const [file = '', times = '0'] = process.argv.slice(2);
const store = new SqliteStateStore(file, { synchronous: 'normal' });
const log = await moveStatusAtRandom(store, 's1', {
  times: Number(times),
  // One clock for all processes of a machine, in microseconds.
  now: () => Number(process.hrtime.bigint() / 1000n),
  random: Math.random,
});
process.stdout.write(JSON.stringify(log));
store.close();
