import type { LLMAdapter, LLMCallbacks } from '@helix-agents/core';
import { benchAgent, FINAL_TEXT } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import {
  cpu,
  interleave,
  round,
  wall,
  type BenchCase,
  type BenchOptions,
  type Result,
  type Round,
} from '../lib/measure.ts';
import { memoryStores, sqliteStores, type Stores } from '../lib/stores.ts';

const DELTAS = 2_000;
/** Deltas between two turns of the event loop, where a provider's socket would be read. */
const PER_READ = 20;

/** A model that streams 2,000 text deltas, over the same model that streams them nowhere. */
export const stream: BenchCase = {
  name: 'stream',
  async run(options) {
    const places = {
      memory: { open: memoryStores, atMost: 2 },
      'sqlite full': { open: () => sqliteStores('full'), atMost: 5 },
    };
    const results: Result[] = [];
    for (const [place, { open, atMost }] of Object.entries(places)) {
      options.progress(`stream: ${place}`);
      results.push(...(await measure(place, open(), atMost, options)));
    }
    return results;
  },
};

async function measure(
  place: string,
  stores: Stores,
  atMost: number,
  options: BenchOptions,
): Promise<Result[]> {
  const samples = await interleave(options.quick ? 5 : 15, {
    silent: turns(stores, 'burst', false),
    burst: turns(stores, 'burst', true),
    silentPaced: turns(stores, 'paced', false),
    paced: turns(stores, 'paced', true),
  });
  stores.close();
  const per = (milliseconds: number): number => (milliseconds * 1000) / DELTAS / TURNS;
  return (['burst', 'paced'] as const).map((pace) => {
    const [loud, silent] =
      pace === 'burst' ? [samples.burst, samples.silent] : [samples.paced, samples.silentPaced];
    return {
      case: 'stream',
      name: `${place}, ${pace === 'burst' ? 'all at once' : `${PER_READ} per read`}`,
      value: per(cpu(loud) - cpu(silent)),
      unit: 'µs CPU per delta',
      target: { atMost },
      detail: `${round(per(wall(loud) - wall(silent)))} µs by the clock`,
    };
  });
}

const TURNS = 4;

function turns(stores: Stores, pace: 'burst' | 'paced', heard: boolean): Round {
  const agent = benchAgent(`stream-${pace}-${heard}`);
  const executor = executorFor(stores, streamingModel(pace, heard), agent);
  return async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await runTurn(executor, agent, freshId());
  };
}

function streamingModel(pace: 'burst' | 'paced', heard: boolean): LLMAdapter {
  const nowhere: Pick<LLMCallbacks, 'onTextDelta'> = { onTextDelta: () => {} };
  return {
    async generateStep({ callbacks }) {
      const { onTextDelta } = heard ? callbacks : nowhere;
      for (let delta = 1; delta <= DELTAS; delta += 1) {
        await onTextDelta('word ');
        if (pace === 'paced' && delta % PER_READ === 0) await new Promise(setImmediate);
      }
      return { type: 'text', content: FINAL_TEXT, shouldStop: true };
    },
  };
}
