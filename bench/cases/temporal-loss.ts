import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TemporalAgentExecutor } from '@helix-agents/runtime-temporal';
import { freshId } from '../lib/executors.ts';
import { median, round, type Result } from '../lib/measure.ts';
import { scratch, sqliteStores } from '../lib/stores.ts';
import { lossAgent } from './temporal-loss-agent.ts';
import type { LossArguments } from './temporal-loss-worker.ts';
import type { Place } from './temporal-place.ts';

/** From SIGKILL of a worker inside a tool, with another one up, until the step is committed. */
export async function measureLoss(place: Place, rounds: number): Promise<Result> {
  const times: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) times.push(await loseOne(place));
  return {
    case: 'temporal',
    name: 'SIGKILL of a worker inside a tool until the next step',
    value: Math.max(...times) / 1_000,
    unit: 's at most',
    target: { atMost: 5 },
    detail: `p50 ${round(median(times) / 1_000)} s, ${rounds} times; heartbeat time-out 3 s`,
  };
}

async function loseOne({ address, client }: Place): Promise<number> {
  const database = join(scratch(), 'agents.db');
  const { stateStore, streamManager, close } = sqliteStores('normal', database);
  const agent = lossAgent(async () => {});
  const taskQueue = `loss-${freshId()}`;
  const executor = new TemporalAgentExecutor({
    client,
    taskQueue,
    stateStore,
    streamManager,
    agentRegistry: { loss: agent },
  });
  const given = { address, taskQueue, database };
  const first = startWorker({ ...given, hold: true });
  await first.says('ready');
  const sessionId = freshId();
  const handle = await executor.execute(agent, 'go', { sessionId });
  await first.says('held');
  const second = startWorker({ ...given, hold: false });
  await second.says('ready');
  const killed = performance.now();
  first.child.kill('SIGKILL');
  const ref = { rootId: sessionId, sessionId };
  while (((await stateStore.sessions.readSession(ref))?.stepId ?? 0) < 2)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const took = performance.now() - killed;
  await handle.result();
  const gone = once(second.child, 'exit');
  second.child.kill('SIGTERM');
  await gone;
  close();
  return took;
}

interface LossWorker {
  readonly child: ChildProcess;
  readonly says: (line: string) => Promise<void>;
}

function startWorker(given: LossArguments): LossWorker {
  const program = new URL('temporal-loss-worker.ts', import.meta.url).pathname;
  const args = [...process.execArgv, '--no-warnings', program, JSON.stringify(given)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const said = new Set<string>();
  const lines = createInterface({ input: child.stdout }).on('line', (line) => said.add(line));
  return {
    child,
    async says(line) {
      while (!said.has(line)) await once(lines, 'line');
    },
  };
}
