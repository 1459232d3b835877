import { TemporalAgentExecutor } from '@helix-agents/runtime-temporal';
import { Client, Connection } from '@temporalio/client';
import { address, agentRegistry, stores, taskQueue } from './settings.ts';

/** An executor and what closes it. */
export async function openExecutor(): Promise<{
  readonly executor: TemporalAgentExecutor;
  readonly close: () => Promise<void>;
}> {
  const connection = await Connection.connect({ address });
  const { stateStore, streamManager, usageStore, close } = stores;
  const client = new Client({ connection });
  const parts = { stateStore, streamManager, usageStore, agentRegistry };
  return {
    executor: new TemporalAgentExecutor({ client, taskQueue, ...parts }),
    async close() {
      await connection.close();
      close();
    },
  };
}
