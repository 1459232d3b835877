// Arguments: the store's address, the ledger, the number of sessions, and `on` or `finish`. Prints `ready`, then talks with all
// sessions at once, turn after turn; with `finish` it only ends what was begun, and prints `done`.
import { setTimeout as wait } from 'node:timers/promises';
import { writeSync } from 'node:fs';
import { live, openStage } from './stage.ts';
import { readAddress } from './store-address.ts';

const [store, ledger, count, mode] = process.argv.slice(2) as [string, string, string, string];
const stage = await openStage({
  address: readAddress(store),
  ledger,
  slow: () => wait(20),
  leaseMs: 150,
});
writeSync(1, 'ready\n');
const turns = (): number => (mode === 'on' ? Infinity : 1);
await Promise.all(
  Array.from({ length: Number(count) }, (_, index) => {
    const agent = index % 2 === 0 ? stage.agents.mixed : stage.agents.slow;
    return live(stage, { sessionId: `s${index + 1}`, agent, turns });
  }),
);
writeSync(1, 'done\n');
stage.stores.close();
