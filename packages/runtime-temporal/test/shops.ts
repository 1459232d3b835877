import { noopLogger, type AgentConfig, type Logger, type StateStore } from '@helix-agents/core';
import { faultyStore, type StoreFaultHook } from '@helix-agents/testing';
import {
  createMemorySessionStore,
  InMemoryStreamManager,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { Client, Connection } from '@temporalio/client';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  type Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { onTestFinished } from 'vitest';
import {
  bundleAgentWorkflow,
  createAgentWorker,
  TemporalAgentExecutor,
  type TemporalAgentExecutorConfig,
} from '../src/index.ts';
import { workAgent, workModel, type Hold } from './worker/agents.ts';

export const quiet: DefaultLogger = new DefaultLogger('ERROR', () => {});
// Once per process.
Runtime.install({ logger: quiet });

/** An executor over memory and, from `startWorker` to the end of the test, a worker: both in this process. */
export interface Shop {
  readonly agent: AgentConfig;
  readonly executor: TemporalAgentExecutor;
  /** Of its workflow ids. */
  readonly prefix: string;
  readonly stateStore: StateStore;
  readonly startWorker: () => Promise<Worker>;
}

export interface ShopOptions extends Partial<TemporalAgentExecutorConfig> {
  /** Where tools and models stand still. */
  readonly hold?: Hold;
  /** Asked before each call of the store. */
  readonly before?: StoreFaultHook;
  /** Of the application; default: the workflows of this package, bundled once for all shops. */
  readonly workflowsPath?: string;
}

/** What the shops of a test file share. */
export interface Street {
  readonly client: Client;
  openShop(options?: ShopOptions): Shop;
  close(): Promise<void>;
}

/** Long enough that a busy machine is not taken for a dead worker. */
const PATIENT = { heartbeatTimeoutMs: 60_000 };

export async function openStreet(address: string): Promise<Street> {
  const client = new Client({ connection: await Connection.connect({ address }) });
  const native = await NativeConnection.connect({ address });
  const bundle = await bundleAgentWorkflow({ logger: quiet });
  return {
    client,
    openShop: (options = {}) => openShop(client, native, bundle, options),
    async close() {
      await client.connection.close();
      await native.close();
    },
  };
}

function openShop(
  client: Client,
  native: NativeConnection,
  bundle: WorkflowBundleWithSourceMap,
  { hold = async () => {}, before = () => 'pass', workflowsPath, ...given }: ShopOptions,
): Shop {
  const sessions = faultyStore(createMemorySessionStore(new MemoryDatabase()), before);
  const stateStore: StateStore = { sessions, index: sessions };
  const streamManager = new InMemoryStreamManager();
  const prefix = `shop-${crypto.randomUUID()}`;
  const agent = workAgent('/dev/null', hold);
  const logger: Logger = noopLogger;
  const agentRegistry = { work: agent };
  const parts = { stateStore, streamManager, agentRegistry, logger, taskQueue: prefix };
  const executor = new TemporalAgentExecutor({
    ...parts,
    client,
    workflowIdPrefix: prefix,
    ...given,
    settings: { ...PATIENT, ...given.settings },
  });
  const startWorker = async (): Promise<Worker> => {
    const worker = await createAgentWorker({
      ...parts,
      connection: native,
      ...(workflowsPath === undefined ? { workflowBundle: bundle } : { workflowsPath }),
      llmAdapter: workModel(hold),
      sweeper: executor,
      worker: { shutdownGraceTime: 0 },
    });
    const ended = worker.run();
    onTestFinished(async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    });
    return worker;
  };
  return { agent, executor, prefix, stateStore, startWorker };
}
