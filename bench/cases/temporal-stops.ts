import { TemporalAgentExecutor } from '@helix-agents/runtime-temporal';
import type { LLMAdapter } from '@helix-agents/core';
import { benchAgent } from '../lib/agents.ts';
import { freshId } from '../lib/executors.ts';
import { median, round, type Result } from '../lib/measure.ts';
import { memoryStores } from '../lib/stores.ts';
import { QUEUE, type Place } from './temporal-place.ts';

/** Streams for as long as it is let, and tells when it began and when it was told to stop. */
interface Talker {
  readonly model: LLMAdapter;
  readonly begun: Promise<void>;
  readonly cut: Promise<number>;
}

function newTalker(): Talker {
  const begun = Promise.withResolvers<void>();
  const cut = Promise.withResolvers<number>();
  const model: LLMAdapter = {
    async generateStep({ callbacks, abortSignal }) {
      abortSignal.addEventListener('abort', () => cut.resolve(performance.now()));
      while (!abortSignal.aborted) {
        await callbacks.onTextDelta('and ');
        begun.resolve();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw abortSignal.reason;
    },
  };
  return { model, begun: begun.promise, cut: cut.promise };
}

/** From the call of `interrupt` or `abort` until a model that streams hears of it. */
export async function measureStops(place: Place, rounds: number): Promise<Result[]> {
  const agent = benchAgent('talk');
  const { stateStore, streamManager } = memoryStores();
  const parts = { stateStore, streamManager, agentRegistry: { talk: agent } };
  let talker = newTalker();
  const llmAdapter: LLMAdapter = { generateStep: (input) => talker.model.generateStep(input) };
  const worker = await place.worker({ ...parts, llmAdapter });
  const executor = new TemporalAgentExecutor({ ...parts, client: place.client, taskQueue: QUEUE });
  const stop = async (way: 'interrupt' | 'abort'): Promise<number> => {
    talker = newTalker();
    const sessionId = freshId();
    const handle = await executor.execute(agent, 'go', { sessionId });
    await talker.begun;
    // Polls are at a fixed pace: come at any moment between two.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 600));
    const asked = performance.now();
    await executor[way](sessionId);
    const heard = (await talker.cut) - asked;
    await handle.result();
    return heard;
  };
  return worker.runUntil(async () => {
    const results: Result[] = [];
    for (const way of ['interrupt', 'abort'] as const) {
      const times: number[] = [];
      for (let turn = 0; turn < rounds; turn += 1) times.push(await stop(way));
      results.push({
        case: 'temporal',
        name: `${way} until a model call that streams is told`,
        value: Math.max(...times) / 1_000,
        unit: 's at most',
        target: { atMost: 2 },
        detail: `p50 ${round(median(times))} ms, ${rounds} times`,
      });
    }
    return results;
  });
}
