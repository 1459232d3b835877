// Terminal 1: runs agents. Start as many as you like; end one at any time, another goes on.
import { createAgentWorker } from '@helix-agents/runtime-temporal';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { model } from './agent.ts';
import { address, agentRegistry, stores, taskQueue } from './settings.ts';

Runtime.install({ logger: new DefaultLogger('WARN') });
const { stateStore, streamManager, usageStore, close } = stores;
const worker = await createAgentWorker({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  stateStore,
  streamManager,
  usageStore,
  agentRegistry,
  llmAdapter: model,
});
console.log('   worker: ready');
// Returns after SIGTERM or Ctrl-C, when what runs here has ended or was handed on.
await worker.run();
close();
process.exit();
