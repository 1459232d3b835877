import { startTemporal } from '@helix-agents/test-servers';
import { bundleAgentWorkflow, createAgentWorker } from '@helix-agents/runtime-temporal';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';

export const QUEUE = 'bench';

/** A server in memory with the flags of the tests, and workers in this process. */
export interface Place {
  readonly address: string;
  readonly client: Client;
  readonly worker: typeof createAgentWorker;
  readonly close: () => Promise<void>;
}

export async function openPlace(): Promise<Place> {
  const logger = new DefaultLogger('ERROR', () => {});
  Runtime.install({ logger });
  const server = await startTemporal();
  const connection = await Connection.connect({ address: server.url });
  const native = await NativeConnection.connect({ address: server.url });
  const workflowsPath = new URL('../lib/temporal-activity-workflow.ts', import.meta.url).pathname;
  const workflowBundle = await bundleAgentWorkflow({ workflowsPath, logger });
  return {
    address: server.url,
    client: new Client({ connection }),
    worker: (config) =>
      createAgentWorker({ ...config, connection: native, taskQueue: QUEUE, workflowBundle }),
    async close() {
      await connection.close();
      await native.close();
      await server.stop();
    },
  };
}
