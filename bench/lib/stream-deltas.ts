import type { LLMAdapter, LLMCallbacks } from '@helix-agents/core';
import { benchAgent, FINAL_TEXT } from './agents.ts';
import { executorFor, freshId, runTurn } from './executors.ts';
import {
  cpu,
  interleave,
  round,
  wall,
  type BenchOptions,
  type Result,
  type Round,
  type Target,
} from './measure.ts';
import type { Stores } from './stores.ts';

const DELTAS = 2_000;
/** Deltas between two turns of the event loop, where a provider's socket would be read. */
const PER_READ = 20;

export interface DeltaPlace {
  readonly case: string;
  readonly name: string;
  readonly stores: Stores;
  /** What counts: the time this process computed, or the clock where a server does the work. */
  readonly counts: 'cpu' | 'clock';
  readonly target: Target | undefined;
}

/** A model that streams 2,000 text deltas, over the same model that streams them nowhere. */
export async function streamDeltas(place: DeltaPlace, options: BenchOptions): Promise<Result[]> {
  const { stores, target } = place;
  const samples = await interleave(options.quick ? 5 : 15, {
    silent: turns(stores, 'burst', false),
    burst: turns(stores, 'burst', true),
    silentPaced: turns(stores, 'paced', false),
    paced: turns(stores, 'paced', true),
  });
  const per = (milliseconds: number): number => (milliseconds * 1000) / DELTAS / TURNS;
  return (['burst', 'paced'] as const).map((pace) => {
    const [loud, silent] =
      pace === 'burst' ? [samples.burst, samples.silent] : [samples.paced, samples.silentPaced];
    const computed = per(cpu(loud) - cpu(silent));
    const clock = per(wall(loud) - wall(silent));
    return {
      case: place.case,
      name: `${place.name}${pace === 'burst' ? 'all at once' : `${PER_READ} per read`}`,
      value: place.counts === 'cpu' ? computed : clock,
      unit: place.counts === 'cpu' ? 'µs CPU per delta' : 'µs per delta',
      ...(target && { target }),
      detail:
        place.counts === 'cpu'
          ? `${round(clock)} µs by the clock`
          : `${round(computed)} µs of CPU time in this process`,
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
