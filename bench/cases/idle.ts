import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { askingModel, benchAgent, steppingModel } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import { round, type BenchCase, type Result } from '../lib/measure.ts';
import { sqliteStores } from '../lib/stores.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What the process keeps for sessions that wait for a person, or are done. Their rows are in SQLite. */
export const idle: BenchCase = {
  name: 'idle',
  async run(options) {
    const count = options.quick ? 1_000 : 10_000;
    const results: Result[] = [];
    for (const kind of ['suspended', 'finished'] as const) {
      options.progress(`idle: ${count} ${kind} sessions`);
      const kept = await heapKept(kind, count);
      results.push({
        case: 'idle',
        name: `${count.toLocaleString('en-US')} ${kind} sessions`,
        value: Math.max(0, kept) / count / 1000,
        unit: 'kB of heap each',
        target: { atMost: 0.5 },
        detail: `${round(kept / 1000)} kB in all, after garbage collection`,
      });
    }
    return results;
  },
};

async function heapKept(kind: 'suspended' | 'finished', count: number): Promise<number> {
  const stores = sqliteStores('normal');
  const agent = benchAgent(`idle-${kind}`, 'step');
  const model = kind === 'suspended' ? askingModel(1) : steppingModel(1);
  const executor = executorFor(stores, model, agent);
  const status = kind === 'suspended' ? 'suspended_client_tool' : 'completed';
  for (let warm = 0; warm < 300; warm += 1) await runTurn(executor, agent, freshId(), status);
  const before = await heap();
  for (let made = 0; made < count; made += 1) await runTurn(executor, agent, freshId(), status);
  const kept = (await heap()) - before;
  stores.close();
  return kept;
}

async function heap(): Promise<number> {
  for (let pass = 0; pass < 4; pass += 1) {
    await new Promise(setImmediate);
    collect();
  }
  return process.memoryUsage().heapUsed;
}
