// If this fails: a store that does not work for a moment ends runs as failed, and nothing but a person frees them.
// Known fault: on hosts whose engine keeps runs alive `result()` rejects during the outage and runs of sub-agents do not end, so
// these scenarios run only on hosts with leases.
import { StoreUnavailableError } from '@helix-agents/core';
import { expect } from 'vitest';
import { agent, helper, serverTool, subAgent } from './definitions.ts';
import type { StoreFaultHook } from '../world/fault-line.ts';
import { LEASE_MS, type Process } from './process.ts';
import { call, finish, say, script } from './script.ts';
import { until } from './waiting.ts';
import { patiently, type Scenario, type World } from './world.ts';

/** How many calls after the tool was executed still work. */
const PLACES = [0, 1, 2, 3];
/** Attempts after which an operation that fails for another reason is not tried again, less the last one. */
const RETRIES = 3;
/** Calls of one attempt: a write, and a look whether it was applied. The outage is over when the last attempt has failed. */
const LAST_CALLS = [1, 2];

interface Outage {
  readonly process: Process;
  /** Begins when so many further calls have been made. */
  begin(calls: number): void;
  end(): void;
}

/** `lastCalls`: fails for as long as an operation is tried, and then for so many calls more. */
function outageIn(
  world: World,
  model: ReturnType<typeof script>,
  root: ReturnType<typeof agent>,
  lastCalls: number,
): Outage {
  let works = Infinity;
  let last = 0;
  let isOver = false;
  const before: StoreFaultHook = (method) => {
    if (method !== 'renewLease') works -= 1;
    if (works >= 0 || isOver) return 'pass';
    if (method !== 'renewLease') {
      const tried = process.log.filter((name) => name === 'operation.retry').length;
      last += tried >= RETRIES ? 1 : 0;
      isOver = last >= lastCalls;
    }
    throw new StoreUnavailableError(new Error('connection refused'));
  };
  const process = world.process({ model, agents: [root], before });
  return {
    process,
    begin(after) {
      works = after;
    },
    end() {
      isOver = true;
    },
  };
}

async function neverFailed(world: World, sessionId: string): Promise<void> {
  const statuses = (await world.runs(sessionId)).map((run) => run.status);
  expect(statuses).not.toContain('failed');
}

export function outages(it: Scenario): void {
  for (const [place, last] of PLACES.flatMap((one) =>
    LAST_CALLS.map((more) => [one, more] as const),
  )) {
    const where = `${place} calls after a tool, for ${last} at last`;
    it.leasedRace(
      `a store that does not work for a while holds a run up and does not fail it: ${where}`,
      async (world) => {
        let begin = (): void => {};
        const root = agent('root', [serverTool('work', () => begin())]);
        const model = script({ root: [call('work'), say('done')] });
        const outage = outageIn(world, model, root, last);
        begin = () => outage.begin(place);
        const handle = await outage.process.executor.execute(root, 'go', { sessionId: 's' });
        const ended = await patiently(world, handle.result());
        expect(ended).toEqual({ status: 'completed', output: 'done' });
        await neverFailed(world, 's');
      },
    );

    it.leasedRace(
      `a store that does not work for a while holds a sub-agent up and does not fail it: ${where}`,
      async (world) => {
        let begin = (): void => {};
        const child = helper('child', [serverTool('work', () => begin())]);
        const root = agent('root', [subAgent(child)]);
        const model = script({
          root: [call('subagent__child'), say('done')],
          child: [call('work'), finish('found')],
        });
        const outage = outageIn(world, model, root, last);
        begin = () => outage.begin(place);
        const handle = await outage.process.executor.execute(root, 'go', { sessionId: 's' });
        const ended = await patiently(world, handle.result());
        expect(ended).toEqual({ status: 'completed', output: 'done' });
        expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'completed' });
      },
    );
  }

  it.leased(
    'a store that does not work for longer than a lease leaves the run to the next owner',
    async (world) => {
      let begin = (): void => {};
      const root = agent('root', [serverTool('work', () => begin())]);
      const model = script({ root: [call('work'), say('done')] });
      const outage = outageIn(world, model, root, Infinity);
      begin = () => outage.begin(0);
      const { process } = outage;
      const handle = await process.executor.execute(root, 'go', { sessionId: 's' });
      await until('it died', async () => {
        await world.clock.skip(LEASE_MS / 10);
        return process.log.includes('run.died');
      });
      outage.end();
      expect(await world.session('s')).toMatchObject({ status: 'running' });
      const b = world.process({ model, agents: [root] });
      await world.clock.skip(LEASE_MS + 1);
      await b.executor.sweep();
      const ended = await patiently(world, handle.result());
      expect(ended).toEqual({ status: 'completed', output: 'done' });
      await neverFailed(world, 's');
    },
  );
}
