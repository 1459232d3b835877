// If this fails: a provider that is busy for a moment ends the run, or one header of its answer holds it for hours.
import { HelixError, type Clock } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent } from './definitions.ts';
import { say, script, timesAsked } from './script.ts';
import { runOnce, type Scenario, type World } from './world.ts';

const MINUTE = 60_000;

export function modelRetries(it: Scenario): void {
  describe('model retries', () => {
    it('waits as long as the provider asks, and never longer than a minute', async (world) => {
      const { waits, result, asked } = await runWith(world, [1_234, 24 * 60 * MINUTE, 0], {});
      expect(result).toEqual({ status: 'completed', output: 'at last' });
      expect(asked).toBe(4);
      expect(waits).toEqual([1_234, MINUTE]);
    });

    it('waits no longer than the agent allows, and gives up after so many retries', async (world) => {
      const settings = { maxRetries: 1, maxRetryDelayMs: 1_234 };
      const { waits, result, asked } = await runWith(world, [MINUTE, MINUTE], settings);
      expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_rate_limited' } });
      expect(asked).toBe(2);
      expect(waits).toEqual([1_234]);
    });
  });
}

/** A run whose model refuses, each time asking to be left alone for so long, before it answers. */
async function runWith(
  world: World,
  refusals: readonly number[],
  settings: { maxRetries?: number; maxRetryDelayMs?: number },
) {
  const left = [...refusals];
  const waits: number[] = [];
  const model = script({
    root: [
      () => {
        const retryAfterMs = left.shift();
        if (retryAfterMs === undefined) return say('at last');
        const code = 'provider_rate_limited';
        throw Object.assign(new HelixError({ code, message: 'busy' }), { retryAfterMs });
      },
    ],
  });
  const root = agent('root', [], { llmConfig: { model: 'scripted', ...settings } });
  const process = world.process({ model, agents: [root], clock: hurrying(world.clock, waits) });
  const result = await runOnce(process, root, 's');
  return { result, waits, asked: timesAsked(model, 'root') };
}

/** Waits of these lengths pass at once, and are noted. */
function hurrying(clock: Clock, waits: number[]): Clock {
  return {
    now: () => clock.now(),
    setTimer(ms, callback) {
      if (ms !== 1_234 && ms < MINUTE) return clock.setTimer(ms, callback);
      waits.push(ms);
      return clock.setTimer(0, callback);
    },
  };
}
