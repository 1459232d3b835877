// `node --conditions=@helix-agents/source bench/profile.ts <memory|sqlite-full|sqlite-normal> <step|call> [turns] [steps]`: where the
// time of a turn goes. Prints what the stores were asked per step, then the functions with the most time of their own.
import { Session } from 'node:inspector/promises';
import { benchAgent, STEPS, steppingModel } from './lib/agents.ts';
import {
  countingStore,
  countingStreams,
  watchSqlite,
  perUnit,
  type Counts,
  type SqliteCounts,
} from './lib/counting.ts';
import { byFile, topFunctions } from './lib/cpu-profile.ts';
import { executorFor, runTurn } from './lib/executors.ts';
import { memoryStores, sqliteStores, type Stores } from './lib/stores.ts';

const [place = 'memory', durability = 'step', turns = '400', perTurn = String(STEPS)] =
  process.argv.slice(2);
const agent = benchAgent('profiled', durability === 'call' ? 'call' : 'step');

await count();
await profile(Number(turns));

function open(): Stores {
  if (place === 'memory') return memoryStores();
  return sqliteStores(place === 'sqlite-full' ? 'full' : 'normal');
}

async function count(): Promise<void> {
  const counts: Counts = new Map();
  const sql: SqliteCounts = { counts: new Map(), micros: new Map(), calls: new Map() };
  const stop = watchSqlite(sql);
  const stores = open();
  const counted: Stores = {
    ...stores,
    stateStore: countingStore(stores.stateStore, counts),
    streamManager: countingStreams(stores.streamManager, counts),
  };
  // Long, so that the start and the end of the turn weigh little.
  const steps = 500;
  await stores.stateStore.index.listSessions({ limit: 1 });
  await runTurn(executorFor(counted, steppingModel(steps), agent), agent);
  stop();
  stores.close();
  console.log(`${place}, ${durability}: per step\n  store: ${perUnit(counts, steps)}`);
  if (sql.counts.size === 0) return;
  console.log(`  sqlite: ${perUnit(sql.counts, steps)}\n\nper step, by statement`);
  for (const [text, micros] of [...sql.micros].toSorted(([, a], [, b]) => b - a).slice(0, 24)) {
    const times = ((sql.calls.get(text) ?? 0) / steps).toFixed(2);
    const head = text.replaceAll(/\s+/g, ' ').slice(0, 110);
    console.log(`  ${(micros / steps).toFixed(1).padStart(7)} µs  ${times} ×  ${head}`);
  }
}

async function profile(count: number): Promise<void> {
  const stores = open();
  const executor = executorFor(stores, steppingModel(Number(perTurn)), agent);
  const turn = (): Promise<void> => runTurn(executor, agent);
  for (let warm = 0; warm < count / 4; warm += 1) await turn();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  for (let done = 0; done < count; done += 1) await turn();
  const { profile: recorded } = await session.post('Profiler.stop');
  stores.close();
  console.log(`\nself time by file\n${byFile(recorded, 25)}`);
  console.log(`\nself time by function\n${topFunctions(recorded, 40)}`);
}
