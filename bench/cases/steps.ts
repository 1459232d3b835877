import type { Durability } from '@helix-agents/core';
import { join } from 'node:path';
import { benchAgent, STEPS, steppingModel } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import {
  cpu,
  interleave,
  ratio,
  round,
  wall,
  type BenchCase,
  type BenchOptions,
  type Result,
  type Round,
  type Target,
} from '../lib/measure.ts';
import { rawMemory, rawSqlite, type RawStore } from '../lib/raw.ts';
import { rawTurn } from '../lib/raw-turn.ts';
import { memoryStores, scratch, sqliteStores, type Stores } from '../lib/stores.ts';
import { storeTurn } from '../lib/store-turn.ts';
import { warmUp } from '../lib/warm-up.ts';

type Place = 'memory' | 'sqlite full' | 'sqlite normal';

/** Share of the raw loop's speed. The memory store's target is a rate. */
const TARGETS: Readonly<Partial<Record<`${Place} ${Durability}`, Target>>> = {
  'sqlite full step': { atLeast: 0.9 },
  'sqlite normal step': { atLeast: 0.6 },
  'sqlite full call': { atLeast: 0.85 },
};
const MEMORY_TARGET: Target = { atLeast: 20_000 };

/** A turn is 20 steps, one model call and one server tool each, and a final text. */
export const steps: BenchCase = {
  name: 'steps',
  async run(options) {
    const results: Result[] = [];
    await warmUp(options);
    for (const place of ['memory', 'sqlite full', 'sqlite normal'] as const) {
      for (const sessions of [1, 16]) {
        options.progress(`steps: ${place}, ${sessions} at once`);
        results.push(...(await measure(place, sessions, options)));
      }
    }
    return results;
  },
};

async function measure(place: Place, sessions: number, options: BenchOptions): Promise<Result[]> {
  const raw = openRaw(place);
  const stores = openStores(place);
  const store = stores.stateStore.sessions;
  const turns = Math.ceil((options.quick ? 4 : place === 'memory' ? 64 : 16) / sessions);
  const together = (turn: (id: string) => Promise<void>): Round => {
    return async () => {
      for (let count = 0; count < turns; count += 1) {
        await Promise.all(Array.from({ length: sessions }, () => turn(freshId())));
      }
    };
  };
  const samples = await interleave(options.quick ? 5 : 11, {
    raw: together((id) => rawTurn(raw, id, 1)),
    step: together(engine(stores, 'step')),
    raw2: together((id) => rawTurn(raw, id, 2)),
    call: together(engine(stores, 'call')),
    store: together((id) => storeTurn(store, id)),
  });
  stores.close();
  raw.close();
  const count = turns * sessions * (STEPS + 1);
  const rows = (['step', 'call'] as const).map((durability): Result => {
    const rival = durability === 'step' ? samples.raw : samples.raw2;
    const share = ratio(rival, samples[durability]);
    const perSecond = (count / wall(samples[durability])) * 1000;
    const shared = { case: 'steps', name: `${place}, ${durability}, ${sessions} at once` };
    const rates = `raw ${round((count / wall(rival)) * 1000)}/s, ours ${round((count / wall(samples[durability])) * 1000)}/s, ${round((1000 * cpu(samples[durability])) / count)} µs CPU per step`;
    if (place === 'memory') {
      const detail = `${round(share, 3)} of raw; wall: ${rates}`;
      return {
        ...shared,
        value: perSecond,
        unit: 'steps/s',
        target: MEMORY_TARGET,
        detail,
      };
    }
    const target = TARGETS[`${place} ${durability}`];
    const unit = durability === 'step' ? '× raw' : '× raw-2commit';
    return { ...shared, value: share, unit, detail: rates, ...(target ? { target } : {}) };
  });
  const floor = ratio(samples.raw, samples.store);
  return [
    ...rows,
    {
      case: 'steps',
      name: `${place}, store alone, ${sessions} at once`,
      value: floor,
      unit: '× raw',
      detail: `the smallest commit plan through SessionStore.commit, ${round((1000 * cpu(samples.store)) / count)} µs CPU per step`,
    },
  ];
}

function engine(stores: Stores, durability: Durability): () => Promise<void> {
  const agent = benchAgent(`steps-${durability}`, durability);
  const executor = executorFor(stores, steppingModel(STEPS), agent);
  return () => runTurn(executor, agent);
}

function openRaw(place: Place): RawStore {
  if (place === 'memory') return rawMemory();
  return rawSqlite(join(scratch(), 'raw.db'), place === 'sqlite full' ? 'full' : 'normal');
}

function openStores(place: Place): Stores {
  if (place === 'memory') return memoryStores();
  return sqliteStores(place === 'sqlite full' ? 'full' : 'normal');
}
