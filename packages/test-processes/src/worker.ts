// Arguments: the store's address, the ledger, the session, the agent, and a place at which to stand still until killed.
// With UNTIL_TOLD in the environment its slow tool waits for a line on stdin.
// Plays one session to its end and prints `done`.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { LEASE_MS, live, openStage } from './stage.ts';
import { readAddress } from './store-address.ts';

const [store, ledger, sessionId, agentName, place] = process.argv.slice(2) as [
  string,
  string,
  string,
  'mixed' | 'slow' | 'nested',
  string?,
];

const stage = await openStage({
  address: readAddress(store),
  ledger,
  ...(process.env['UNTIL_TOLD'] ? { slow: () => once(process.stdin, 'data') } : {}),
  leaseMs: Number(process.env['LEASE_MS'] ?? LEASE_MS),
  reach: (reached) => {
    if (reached === 'slow executing' && !place) writeSync(1, 'working\n');
    if (reached !== place) return;
    writeSync(1, `reached ${reached}\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
const interrupt = place?.includes('interrupt') ?? false;
await live(stage, { sessionId, agent: stage.agents[agentName], interrupt });
writeSync(1, 'done\n');
stage.stores.close();
process.stdin.destroy();
