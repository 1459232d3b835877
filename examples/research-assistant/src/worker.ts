// A worker process: it runs the agent and prints nothing. All that it does, others read from the database.
//   node worker.ts <folder> start | take-over | resume
import { createHelix, noopLogger } from '@helix-agents/sdk';
import { createResearchAssistant } from './agent.ts';
import { chooseModel } from './model.ts';
import { databaseIn, LEASE_MS, QUESTION, SESSION_ID } from './settings.ts';

const [folder = '.', task = 'start'] = process.argv.slice(2);
const { adapter, llmConfig } = chooseModel(process.env);
const agent = createResearchAssistant(folder, llmConfig);
const helix = createHelix({
  model: adapter,
  database: databaseIn(folder),
  agents: [agent],
  logger: { ...noopLogger, error: console.error },
  leaseMs: LEASE_MS,
  recoverEveryMs: LEASE_MS / 4,
  handleSignals: true,
});

const handle =
  task === 'start'
    ? await helix.run(agent, QUESTION, { sessionId: SESSION_ID })
    : task === 'resume'
      ? await helix.resume(agent, SESSION_ID)
      : // Nothing to do but wait: createHelix finds runs whose process died, and takes them over.
        await helix.executor.getHandle(agent, SESSION_ID);

const result = await handle?.result();
await helix.close();
// How the run ended is in the stream, for whoever watches.
if (result === undefined) {
  console.error(`There is no session ${SESSION_ID}.`);
  process.exitCode = 1;
}
