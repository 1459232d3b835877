import type { Clock, LLMAdapter } from '@helix-agents/core';
import { join } from 'node:path';
import { benchAgent, steppingModel } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import { interleave, round, wall, type BenchCase } from '../lib/measure.ts';
import { rawSqlite } from '../lib/raw.ts';
import { scratch, sqliteStores } from '../lib/stores.ts';

/** A process died while it drove 500 sessions; how long until a new one has finished them all. */
export const restart: BenchCase = {
  name: 'restart',
  async run(options) {
    const count = options.quick ? 100 : 500;
    options.progress(`restart: ${count} dead sessions`);
    const path = join(scratch(), 'agents.db');
    const agent = benchAgent('restart', 'step');
    await leaveForDead(path, agent, count);
    const stores = sqliteStores('full', path);
    const executor = executorFor(stores, steppingModel(1), agent);
    const start = performance.now();
    const stop = executor.supervise({ everyMs: 5 });
    await runTurn(executor, agent, freshId());
    const firstRequest = performance.now() - start;
    const running = async (): Promise<number> => {
      const page = await stores.stateStore.index.listSessions({ status: ['running'], limit: 1 });
      return page.items.length;
    };
    while ((await running()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const all = performance.now() - start;
    await stop();
    stores.close();
    const raw = await rawMs(count);
    const shared = { case: 'restart', name: `${count} dead runs` };
    return [
      {
        ...shared,
        name: `${shared.name}, all finished`,
        value: all / 1000,
        unit: 's',
        target: { atMost: 60 },
        detail: `${round(all / count)} ms each, ${round(all / raw)} × the 3 raw commits each needs`,
      },
      {
        ...shared,
        name: `${shared.name}, first request`,
        value: firstRequest / 1000,
        unit: 's',
        target: { atMost: 1 },
        detail: 'a new turn of one tool step, begun together with the recovery',
      },
    ];
  },
};

/** Sessions whose owner stands still in the model call and never renews its lease again. */
async function leaveForDead(
  path: string,
  agent: ReturnType<typeof benchAgent>,
  count: number,
): Promise<void> {
  const stores = sqliteStores('full', path);
  let asked = 0;
  let allAsked = (): void => {};
  const ready = new Promise<void>((resolve) => (allAsked = resolve));
  const silent: LLMAdapter = {
    generateStep() {
      asked += 1;
      if (asked === count) allAsked();
      return new Promise(() => {});
    },
  };
  const stopped: Clock = { now: () => Date.now() - 3_600_000, setTimer: () => () => {} };
  const executor = executorFor(stores, silent, agent, { clock: stopped });
  for (let made = 0; made < count; made += 1) {
    await executor.execute(agent, 'go', { sessionId: freshId() });
  }
  await ready;
  stores.close();
}

/** Claim, tool step, final text. */
async function rawMs(count: number): Promise<number> {
  const store = rawSqlite(join(scratch(), 'raw.db'), 'full');
  const samples = await interleave(3, {
    raw: async () => {
      for (let made = 0; made < count; made += 1) {
        const id = freshId();
        store.create(id, []);
        store.closeStep(id, 1, [{ content: 'answer' }, { content: 'result' }]);
        store.closeStep(id, 2, [{ content: 'done' }]);
      }
    },
  });
  store.close();
  return wall(samples.raw);
}
