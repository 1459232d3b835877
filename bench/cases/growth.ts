import { readFileSync } from 'node:fs';
import { median, round, type BenchCase, type BenchOptions, type Result } from '../lib/measure.ts';
import { steppedSession, STEPS_AT_A_TIME, TIMES } from '../lib/stepped-session.ts';
import { memoryStores, sqliteStores, type Stores } from '../lib/stores.ts';

const SIZES = [50, 500, 5_000] as const;
const TARGET = { atMost: 1.1 };
/** Sets of sessions that are not measured: what a step costs once the code is compiled is. */
const WARM_UP = 10;

type Size = (typeof SIZES)[number];

interface Cost {
  readonly micros: number;
  readonly bytes: number;
}

/** Sessions that take steps in turn: what a step costs where the transcript has 50, 500 and 5,000 messages. */
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
  const stores = open();
  const rounds: Record<Size, Cost>[] = [];
  const sets = WARM_UP + (options.quick ? 5 : 30);
  for (let set = 0; set < sets; set += 1) {
    const costs = await setOfSessions(stores);
    if (set >= WARM_UP) rounds.push(...costs);
  }
  stores.close();
  const factor = (size: Size, pick: (cost: Cost) => number): number =>
    median(rounds.map((costs) => pick(costs[size]) / pick(costs[50])));
  const each = (pick: (cost: Cost) => number): string =>
    SIZES.map((size) => round(median(rounds.map((costs) => pick(costs[size]))))).join(' / ');
  const shared = { case: 'growth', unit: '× a step at 50 messages', target: TARGET };
  const results: Result[] = ([500, 5_000] as const).map((size) => ({
    ...shared,
    name: `${place}, time at ${size} messages`,
    value: factor(size, (cost) => cost.micros),
    detail: `${each((cost) => cost.micros)} µs CPU per step at ${SIZES.join(' / ')}, medians of ${rounds.length} rounds`,
  }));
  if (place !== 'memory') {
    results.push({
      ...shared,
      name: `${place}, bytes at 5000 messages`,
      value: factor(5_000, (cost) => cost.bytes),
      detail: `${each((cost) => cost.bytes)} bytes handed to the file system per step`,
    });
  }
  return results;
}

/** One session of each size; every round another one begins. */
async function setOfSessions(stores: Stores): Promise<Record<Size, Cost>[]> {
  const sessions = await Promise.all(SIZES.map((size) => steppedSession(stores, size)));
  const rounds: Record<Size, Cost>[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const costs: Partial<Record<Size, Cost>> = {};
    for (let place = 0; place < SIZES.length; place += 1) {
      const at = (place + time) % SIZES.length;
      const size = SIZES[at] as Size;
      costs[size] = await costOf(() => sessions[at]?.take(STEPS_AT_A_TIME));
    }
    rounds.push(costs as Record<Size, Cost>);
  }
  for (const session of sessions) await session.finish();
  return rounds;
}

async function costOf(work: () => Promise<void> | undefined): Promise<Cost> {
  const bytes = bytesWritten();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    micros: (user + system) / STEPS_AT_A_TIME,
    bytes: (bytesWritten() - bytes) / STEPS_AT_A_TIME,
  };
}

/** What this process gave to write calls so far; not a number where the system does not say. */
function bytesWritten(): number {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}
