import { isSwitchedOff } from '@helix-agents/test-servers';
import { TemporalAgentExecutor } from '@helix-agents/runtime-temporal';
import { askingModel, benchAgent, callId, STEPS, steppingModel } from '../lib/agents.ts';
import { freshId } from '../lib/executors.ts';
import { median, percentile, round, type BenchCase, type Result } from '../lib/measure.ts';
import { memoryStores } from '../lib/stores.ts';
import { measureLoss } from './temporal-loss.ts';
import { openPlace, QUEUE, type Place } from './temporal-place.ts';
import { measureStops } from './temporal-stops.ts';

/** begin, settle; think, tool, settle for each step; think, settle, end. */
const ACTIVITIES = 2 + 3 * STEPS + 3;

/** Steps and resumes with one worker over memory; stops; a worker that is lost. */
export const temporal: BenchCase = {
  name: 'temporal',
  async run({ quick, progress }) {
    if (isSwitchedOff('temporal')) return [];
    progress('temporal: server and bundle');
    const place = await openPlace();
    try {
      progress('temporal: steps');
      const steps = await measureSteps(place, quick ? 3 : 9);
      progress('temporal: resume');
      const resume = await measureResume(place, quick ? 10 : 50);
      progress('temporal: stops');
      const stops = await measureStops(place, quick ? 5 : 20);
      progress('temporal: a worker that is lost');
      return [...steps, resume, ...stops, await measureLoss(place, quick ? 2 : 5)];
    } finally {
      await place.close();
    }
  },
};

async function measureSteps(place: Place, rounds: number): Promise<Result[]> {
  const agent = benchAgent('steps');
  const { stateStore, streamManager } = memoryStores();
  const parts = { stateStore, streamManager, agentRegistry: { steps: agent } };
  const worker = await place.worker({
    ...parts,
    llmAdapter: steppingModel(STEPS),
    activities: { bare: async (given: object) => given },
  });
  const { client } = place;
  const executor = new TemporalAgentExecutor({ ...parts, client, taskQueue: QUEUE });
  return worker.runUntil(async () => {
    const ratios: number[] = [];
    const rates: number[] = [];
    let lastId = '';
    for (let turn = 0; turn <= rounds; turn += 1) {
      const bare = await timed(() =>
        client.workflow.execute('bareWorkflow', {
          args: [ACTIVITIES],
          taskQueue: QUEUE,
          workflowId: freshId(),
        }),
      );
      lastId = freshId();
      const ours = await timed(async () => {
        const handle = await executor.execute(agent, 'go', { sessionId: lastId });
        await handle.result();
      });
      // The first round warms up.
      if (turn === 0) continue;
      ratios.push(bare / ours);
      rates.push((STEPS * 1_000) / ours);
    }
    const { events = [] } = await client.workflow
      .getHandle(`agent__steps__${lastId}`)
      .fetchHistory();
    const count = events?.filter((event) => event.activityTaskScheduledEventAttributes).length ?? 0;
    return [
      {
        case: 'temporal',
        name: 'a turn of 20 steps next to as many bare activities',
        value: median(ratios),
        unit: '× bare',
        target: { atLeast: 0.7 },
        detail: `${round(median(rates))} steps per second; ${count} activities each`,
      },
      {
        case: 'temporal',
        name: 'activities for a step with one tool',
        value: (count - 5) / STEPS,
        unit: 'activities',
        target: { atMost: 3 },
        detail: `${round((events?.length ?? 0) / STEPS)} history events per step`,
      },
    ];
  });
}

async function measureResume(place: Place, count: number): Promise<Result> {
  const agent = benchAgent('resume');
  const { stateStore, streamManager } = memoryStores();
  const parts = { stateStore, streamManager, agentRegistry: { resume: agent } };
  const worker = await place.worker({ ...parts, llmAdapter: askingModel(1) });
  const { client } = place;
  const executor = new TemporalAgentExecutor({ ...parts, client, taskQueue: QUEUE });
  return worker.runUntil(async () => {
    const pairs: { readonly empty: number; readonly ours: number }[] = [];
    for (let index = 0; index < count + 3; index += 1) {
      const sessionId = freshId();
      await (await executor.execute(agent, 'go', { sessionId })).result();
      const empty = await timed(() =>
        client.workflow.execute('emptyWorkflow', { taskQueue: QUEUE, workflowId: freshId() }),
      );
      const ours = await timed(async () => {
        await executor.submitToolResult({
          kind: 'client-tool-result',
          sessionId,
          toolCallId: callId(0),
          result: { yes: true },
        });
        await (await executor.resume(sessionId)).result();
      });
      pairs.push({ empty, ours });
    }
    const measured = pairs.slice(3);
    const p = (side: 'empty' | 'ours', share: number): string =>
      `${round(
        percentile(
          measured.map((pair) => pair[side]),
          share,
        ),
      )} ms`;
    return {
      case: 'temporal',
      name: 'answer, resume, complete next to an empty workflow',
      value: median(measured.map(({ empty, ours }) => ours / empty)),
      unit: '× empty',
      detail: `p50 ${p('ours', 0.5)}, p99 ${p('ours', 0.99)}, 5 activities; empty p50 ${p('empty', 0.5)}, p99 ${p('empty', 0.99)}`,
    };
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
