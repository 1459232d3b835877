import { askingModel, benchAgent, callId } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import { median, round, type BenchCase, type BenchOptions, type Result } from '../lib/measure.ts';
import { memoryStores, sqliteStores, type Stores } from '../lib/stores.ts';

const SIZES = [1, 1_000, 10_000];

/** One answer, where its root has 1, 1,000 and 10,000 open calls; all in one database. */
export const submit: BenchCase = {
  name: 'submit',
  async run(options) {
    const results: Result[] = [];
    const places = { memory: memoryStores, 'sqlite full': () => sqliteStores('full') };
    for (const [place, open] of Object.entries(places)) {
      results.push(...(await measure(place, open(), options)));
    }
    return results;
  },
};

async function measure(place: string, stores: Stores, options: BenchOptions): Promise<Result[]> {
  const rounds = options.quick ? 50 : 400;
  const agent = benchAgent('submit', 'step');
  const roots = new Map<number, string[]>();
  for (const size of SIZES) {
    options.progress(`submit: ${place}, ${size} open calls`);
    const ids = Array.from({ length: size === 1 ? rounds : 1 }, freshId);
    const executor = executorFor(stores, askingModel(size), agent);
    for (const id of ids) await runTurn(executor, agent, id, 'suspended_client_tool');
    roots.set(size, ids);
  }
  const executor = executorFor(stores, askingModel(1), agent);
  const times = new Map<number, number[]>(SIZES.map((size) => [size, []]));
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const size of SIZES) {
      const ids = roots.get(size) ?? [];
      const start = performance.now();
      const { status } = await executor.submitToolResult({
        kind: 'client-tool-result',
        sessionId: ids[turn % ids.length] ?? '',
        toolCallId: callId(size === 1 ? 0 : turn),
        result: { yes: true },
      });
      times.get(size)?.push(performance.now() - start);
      if (status !== 'accepted') throw new Error(status);
    }
  }
  stores.close();
  const of = (size: number): number => median(times.get(size) ?? []);
  return SIZES.slice(1).map((size) => ({
    case: 'submit',
    name: `${place}, ${size.toLocaleString('en-US')} open calls`,
    value: of(size) / of(1),
    unit: '× one open call',
    target: { atMost: 1.3 },
    detail: `${SIZES.map((each) => round(of(each) * 1000)).join(' / ')} µs at ${SIZES.join(' / ')}`,
  }));
}
