// Arguments: the store's address, the ledger, the port, the lease in milliseconds. An AgentServer that also sweeps. Prints `ready`
// and serves until it is killed, or until the process that started it is gone.
import { createServer } from 'node:http';
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { AgentServer, createNodeListener } from '@helix-agents/agent-server';
import { openStage } from '../stage.ts';
import { readAddress } from '../store-address.ts';

const LONGEST_TOOL_MS = 150;
const SWEEP_EVERY_MS = 500;

const [store, ledger, port, leaseMs] = process.argv.slice(2) as [string, string, string, string];
const { stores, executor, agents } = await openStage({
  address: readAddress(store),
  ledger,
  leaseMs: Number(leaseMs),
  pace: () => wait(Math.random() * LONGEST_TOOL_MS),
});
const { stateStore, streamManager } = stores;
const server = new AgentServer({
  agents,
  executor,
  stateStore,
  streamManager,
  authenticate: () => ({ ok: true, principal: { id: 'operator', access: 'all' } }),
  rateLimit: false,
});
executor.supervise({ everyMs: SWEEP_EVERY_MS, autoResume: true });
createServer(createNodeListener(server)).listen(Number(port), '127.0.0.1', () => {
  writeSync(1, 'ready\n');
});
process.stdin.on('close', () => process.exit(0)).resume();
