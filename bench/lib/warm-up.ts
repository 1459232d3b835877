import { benchAgent, STEPS, steppingModel } from './agents.ts';
import { executorFor, freshId, runTurn } from './executors.ts';
import type { BenchOptions } from './measure.ts';
import { memoryStores } from './stores.ts';

let isWarm = false;

/** Once per process: what a step costs when the code is compiled for good is measured, not the way there. */
export async function warmUp({ quick, progress }: BenchOptions): Promise<void> {
  if (isWarm) return;
  isWarm = true;
  progress('warming up');
  for (const durability of ['step', 'call'] as const) {
    const stores = memoryStores();
    const agent = benchAgent(`warm-${durability}`, durability);
    const executor = executorFor(stores, steppingModel(STEPS), agent);
    const turns = quick ? 200 : 2_000;
    for (let count = 0; count < turns; count += 1) await runTurn(executor, agent, freshId());
    stores.close();
  }
}
