// A worker in a process of its own. Argument: WorkerArguments as JSON. Says `ready` when it polls, `held <session>` when a
// session stands at the place where it is to be killed, and `cut <session>` when its model is told to stop.
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { createAgentWorker } from '../../src/index.ts';
import { openStores, type StoreAddress } from '../stores.ts';
import { workAgent, workModel, type Hold } from './agents.ts';
import { heldStore } from './held-store.ts';

export interface WorkerArguments {
  readonly address: string;
  readonly taskQueue: string;
  readonly store: StoreAddress;
  readonly ledger: string;
  /** Path of the bundled workflow. */
  readonly bundle: string;
  /** Where which session is held for ever. */
  readonly hold?: { readonly [sessionId: string]: string };
  /** How many activities it runs at once. */
  readonly slots?: number;
}

const { address, taskQueue, store, ledger, bundle, hold, slots } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerArguments;

const standStill: Hold = async (sessionId, place) => {
  if (hold?.[sessionId] !== place) return;
  process.stdout.write(`held ${sessionId}\n`);
  await new Promise(() => {});
};

Runtime.install({ logger: new DefaultLogger('ERROR') });
const { stateStore, streamManager } = openStores(store);
const sessions = heldStore(stateStore.sessions, standStill);
const worker = await createAgentWorker({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath: bundle },
  stateStore,
  streamManager,
  llmAdapter: workModel(standStill, (line) => process.stdout.write(`${line}\n`)),
  agentRegistry: { work: workAgent(ledger, standStill) },
  seams: { databases: { of: () => sessions } },
  ...(slots === undefined ? {} : { worker: { maxConcurrentActivityTaskExecutions: slots } }),
});
const ended = worker.run();
process.stdout.write('ready\n');
await ended;
process.exit();
