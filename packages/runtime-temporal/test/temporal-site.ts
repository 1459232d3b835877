import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { sharedServerUrl } from '@helix-agents/test-servers';
import { bundleAgentWorkflow } from '../src/index.ts';
import type { TemporalWorld } from './temporal-world.ts';

/** One server connection and one worker for all worlds of a test file. */
export interface TemporalSite {
  readonly client: Client;
  readonly taskQueue: string;
  /** Worlds by the prefix of their workflow ids. */
  readonly worlds: Map<string, TemporalWorld>;
  close(): Promise<void>;
}

const OPERATIONS = [
  'beginRun',
  'settleStep',
  'think',
  'runTool',
  'startChild',
  'collectChild',
  'giveUpChild',
  'failRun',
  'endRun',
  'stopRun',
  'sleepByClock',
] as const;

/** Activities go to the world that their workflow belongs to, and there to one of its processes. */
export async function openSite(): Promise<TemporalSite> {
  const address = await sharedServerUrl('temporal');
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}) });
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const workflowsPath = new URL('suite-workflow.ts', import.meta.url).pathname;
  const worlds: TemporalSite['worlds'] = new Map();
  const taskQueue = `suite-${crypto.randomUUID()}`;
  const perform =
    (name: (typeof OPERATIONS)[number]) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const prefix = Context.current().info.workflowExecution?.workflowId.split('__')[0] ?? '';
      const world = worlds.get(prefix);
      if (!world) throw ApplicationFailure.nonRetryable('the world has ended');
      return world.perform(name, args);
    };
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: await bundleAgentWorkflow({ workflowsPath, logger: quiet }),
    activities: Object.fromEntries(OPERATIONS.map((name) => [name, perform(name)])),
    workflowFailureErrorTypes: { '*': ['Error'] },
    maxHeartbeatThrottleInterval: '500ms',
    maxConcurrentActivityTaskExecutions: 400,
    shutdownForceTime: '2s',
  });
  const ended = worker.run().catch(() => undefined);
  return {
    client: new Client({ connection }),
    taskQueue,
    worlds,
    async close() {
      worker.shutdown();
      await ended;
      await connection.close();
      await native.close().catch(() => undefined);
    },
  };
}

const quiet = new DefaultLogger('ERROR', () => {});
