// A worker in a process of its own. Argument: LossArguments as JSON. Says `ready`, and `held` when its tool stands still.
import { NativeConnection } from '@temporalio/worker';
import { createAgentWorker } from '@helix-agents/runtime-temporal';
import { steppingModel } from '../lib/agents.ts';
import { sqliteStores } from '../lib/stores.ts';
import { lossAgent } from './temporal-loss-agent.ts';

export interface LossArguments {
  readonly address: string;
  readonly taskQueue: string;
  readonly database: string;
  /** Its tool never ends. */
  readonly hold: boolean;
}

const { address, taskQueue, database, hold } = JSON.parse(process.argv[2] ?? '') as LossArguments;
const { stateStore, streamManager } = sqliteStores('normal', database);
const agent = lossAgent(async () => {
  if (!hold) return;
  process.stdout.write('held\n');
  await new Promise(() => {});
});
const worker = await createAgentWorker({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  stateStore,
  streamManager,
  agentRegistry: { loss: agent },
  llmAdapter: steppingModel(1),
});
const ended = worker.run();
process.stdout.write('ready\n');
await ended;
process.exit();
