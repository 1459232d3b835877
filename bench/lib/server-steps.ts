import type { Durability } from '@helix-agents/core';
import type { SessionStore } from '@helix-agents/core/store';
import { benchAgent, STEPS, steppingModel } from './agents.ts';
import { executorFor, freshId, runTurn } from './executors.ts';
import {
  cpu,
  interleave,
  percentile,
  ratio,
  round,
  serverCpu,
  wall,
  type BenchOptions,
  type Result,
  type Round,
} from './measure.ts';
import { rawTurn } from './raw-turn.ts';
import type { ServerPlace, ServerStores } from './server-place.ts';
import { storeTurn } from './store-turn.ts';

/** Full steps against the raw commit rate of the same server, 1 session and 16, and how long a commit takes. */
export async function serverSteps(place: ServerPlace, options: BenchOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const sessions of [1, 16]) {
    options.progress(`${place.name}: steps, ${sessions} at once`);
    results.push(...(await measure(place, sessions, options)));
  }
  return results;
}

async function measure(
  place: ServerPlace,
  sessions: number,
  options: BenchOptions,
): Promise<Result[]> {
  const stores = place.open();
  const commits: number[] = [];
  const timed = { ...stores, stateStore: timedStore(stores, commits) };
  const turns = Math.ceil((options.quick ? 4 : 16) / sessions);
  const together = (turn: (id: string) => Promise<void>): Round => {
    return async () => {
      for (let count = 0; count < turns; count += 1) {
        await Promise.all(Array.from({ length: sessions }, () => turn(freshId())));
      }
    };
  };
  const contenders = {
    raw: together((id) => rawTurn(place.raw, id, 1)),
    step: together(engine(timed, 'step')),
    raw2: together((id) => rawTurn(place.raw, id, 2)),
    call: together(engine(stores, 'call')),
    store: together((id) => storeTurn(stores.stateStore.sessions, id)),
  };
  const samples = await interleave(options.quick ? 5 : 11, contenders, place.serverClock);
  stores.close();
  const count = turns * sessions * (STEPS + 1);
  const rate = (name: keyof typeof samples): string =>
    `${round((count / wall(samples[name])) * 1000)}/s`;
  const computed = (name: keyof typeof samples): string => {
    const [own, server] = [cpu(samples[name]), serverCpu(samples[name])];
    return [own, server].map((ms) => round((1000 * ms) / count, 0)).join(' + ');
  };
  const row = (
    name: 'step' | 'call' | 'store',
    rival: 'raw' | 'raw2',
    target?: Result['target'],
  ): Result => ({
    case: place.name,
    name: `${name === 'store' ? 'store alone' : name}, ${sessions} at once`,
    value: ratio(samples[rival], samples[name]),
    unit: rival === 'raw' ? '× raw' : '× raw-2commit',
    detail: `raw ${rate(rival)}, ours ${rate(name)}; µs CPU per step here + in the server: raw ${computed(rival)}, ours ${computed(name)}`,
    ...(target && { target }),
  });
  const { targets } = place;
  const late = (share: number): string => round(percentile(commits, share));
  return [
    row('step', 'raw', sessions === 1 ? targets.step1 : targets.step16),
    row('call', 'raw2', targets.call),
    row('store', 'raw'),
    {
      case: place.name,
      name: `commit p99, ${sessions} at once`,
      value: percentile(commits, 0.99),
      unit: 'ms',
      target: { atMost: 25 },
      detail: `p50 ${late(0.5)} ms, p95 ${late(0.95)} ms, of ${commits.length} commits of the engine`,
    },
  ];
}

function engine(stores: ServerStores, durability: Durability): () => Promise<void> {
  const agent = benchAgent(`server-${durability}`, durability);
  const executor = executorFor(stores, steppingModel(STEPS), agent);
  return () => runTurn(executor, agent);
}

function timedStore({ stateStore }: ServerStores, commits: number[]): ServerStores['stateStore'] {
  const sessions: SessionStore = {
    ...stateStore.sessions,
    async commit(plan) {
      const start = performance.now();
      const applied = await stateStore.sessions.commit(plan);
      commits.push(performance.now() - start);
      return applied;
    },
  };
  return { sessions, index: stateStore.index };
}
