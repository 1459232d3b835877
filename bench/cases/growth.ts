import { readFileSync } from 'node:fs';
import { benchAgent, steppingModel } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import { median, round, type BenchCase, type BenchOptions, type Result } from '../lib/measure.ts';
import { memoryStores, sqliteStores, type Stores } from '../lib/stores.ts';

const SIZES = [50, 500, 5_000];
const WINDOW = 24;
const TARGET = { atMost: 1.1 };

interface Cost {
  readonly micros: number;
  readonly bytes: number;
}

/** One long turn; what a step costs where the transcript has 50, 500 and 5,000 messages. */
export const growth: BenchCase = {
  name: 'growth',
  async run(options) {
    const results: Result[] = [];
    const places = { memory: memoryStores, 'sqlite normal': () => sqliteStores('normal') };
    for (const [place, open] of Object.entries(places)) {
      options.progress(`growth: ${place}`);
      results.push(...(await measure(place, open, options)));
    }
    return results;
  },
};

async function measure(
  place: string,
  open: () => Stores,
  options: BenchOptions,
): Promise<Result[]> {
  const rounds: Cost[][] = [];
  for (let count = options.quick ? 1 : 4; count >= 0; count -= 1) rounds.push(await longTurn(open));
  // The first one warms up.
  rounds.shift();
  const at = (size: number, pick: (cost: Cost) => number): number =>
    median(rounds.map((costs) => pick(costs[size] as Cost)));
  const [small, middle, large] = [0, 1, 2].map((size) => at(size, (cost) => cost.micros));
  const shared = { case: 'growth', unit: '× a step at 50 messages', target: TARGET };
  const factor = (size: number, pick: (cost: Cost) => number): number =>
    median(rounds.map((costs) => pick(costs[size] as Cost) / pick(costs[0] as Cost)));
  const micros = [small, middle, large].map((value) => round(value ?? 0)).join(' / ');
  const results: Result[] = [1, 2].map((size) => ({
    ...shared,
    name: `${place}, time at ${SIZES[size]} messages`,
    value: factor(size, (cost) => cost.micros),
    detail: `${micros} µs CPU per step at ${SIZES.join(' / ')}`,
  }));
  if (place !== 'memory') {
    const bytes = [0, 1, 2].map((size) => round(at(size, (cost) => cost.bytes))).join(' / ');
    results.push({
      ...shared,
      name: `${place}, bytes at ${SIZES[2]} messages`,
      value: factor(2, (cost) => cost.bytes),
      detail: `${bytes} bytes handed to the file system per step`,
    });
  }
  return results;
}

async function longTurn(open: () => Stores): Promise<Cost[]> {
  const stores = open();
  const marks = new Map<number, { cpu: number; bytes: number }>();
  const starts = SIZES.map((size) => size / 2);
  const edges = new Set(starts.flatMap((start) => [start - WINDOW, start + WINDOW]));
  const model = steppingModel((SIZES.at(-1) ?? 0) / 2 + WINDOW, (step) => {
    if (edges.has(step)) marks.set(step, { cpu: cpuMicros(), bytes: bytesWritten() });
  });
  const agent = benchAgent('growth', 'step');
  await runTurn(executorFor(stores, model, agent), agent, freshId());
  stores.close();
  return starts.map((start) => {
    const [from, to] = [marks.get(start - WINDOW), marks.get(start + WINDOW)];
    if (!from || !to) throw new Error(`the turn never came to step ${start}`);
    const count = 2 * WINDOW;
    return { micros: (to.cpu - from.cpu) / count, bytes: (to.bytes - from.bytes) / count };
  });
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What this process gave to write calls so far; not a number where the system does not say. */
function bytesWritten(): number {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}
