// If this fails: a store that does not work for a moment ends runs as failed, or nothing but a person frees them.
import { StoreUnavailableError } from '@helix-agents/core';
import { isStoreOutage, type Operations } from '@helix-agents/core/host';
import { expect } from 'vitest';
import { agent, helper, serverTool, subAgent } from './definitions.ts';
import { intercept, type StoreFaultHook } from '../world/fault-line.ts';
import { standing } from './invariants.ts';
import { LEASE_MS, type Process } from './process.ts';
import { call, finish, say, script } from './script.ts';
import { barrier, until } from './waiting.ts';
import { patiently, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

/** How many calls after the tool was executed still work. */
const PLACES = [0, 1, 2, 3];
/** Attempts after which an operation that fails for another reason is not tried again, less the last one. */
const RETRIES = 3;
/** Calls of one attempt: a write, and a look whether it was applied. The outage is over when the last attempt has failed. */
const LAST_CALLS = [1, 2];
/** Attempts of two operations and a half. */
const MANY_RETRIES = 10;

interface Outage {
  readonly process: Process;
  /** Begins when so many further calls have been made. */
  begin(calls: number): void;
  end(): void;
  /** Calls that have failed. */
  readonly refused: () => number;
}

interface OutageLength {
  /** Lasts until so many attempts at operations have failed. */
  readonly retries: number;
  /** And then for so many calls more. */
  readonly lastCalls: number;
  /** Reads work, as on a server that became read-only. */
  readonly writesOnly?: boolean;
}

function outageIn(
  world: World,
  model: ReturnType<typeof script>,
  root: ReturnType<typeof agent>,
  { retries, lastCalls, writesOnly = false }: OutageLength,
): Outage {
  let works = Infinity;
  let [failed, refused, last] = [0, 0, 0];
  let ended = false;
  const isOver = (): boolean => ended || (failed >= retries && last >= lastCalls);
  const before: StoreFaultHook = (method) => {
    if (method !== 'renewLease') works -= 1;
    if (works >= 0 || isOver() || (writesOnly && method !== 'commit')) return 'pass';
    if (method !== 'renewLease') {
      refused += 1;
      last += failed >= retries ? 1 : 0;
    }
    throw new StoreUnavailableError(new Error('connection refused'));
  };
  const wrapOperations = (operations: Operations): Operations =>
    intercept(operations, async ({ perform }) => {
      try {
        return await perform();
      } catch (error) {
        failed += isStoreOutage(error) ? 1 : 0;
        throw error;
      }
    });
  return {
    process: world.process({ model, agents: [root], before, wrapOperations }),
    begin(after) {
      works = after;
    },
    end() {
      ended = true;
    },
    refused: () => refused,
  };
}

async function neverFailed(world: World, sessionId: string): Promise<void> {
  const statuses = (await world.runs(sessionId)).map((run) => run.status);
  expect(statuses).not.toContain('failed');
}

export function outages(it: Scenario): void {
  for (const [place, lastCalls] of PLACES.flatMap((one) =>
    LAST_CALLS.map((more) => [one, more] as const),
  )) {
    const where = `${place} calls after a tool, for ${lastCalls} at last`;
    const length = { retries: RETRIES, lastCalls };
    it.race(
      `a store that does not work for a while holds a run up and does not fail it: ${where}`,
      async (world) => {
        let begin = (): void => {};
        const root = agent('root', [serverTool('work', () => begin())]);
        const model = script({ root: [call('work'), say('done')] });
        const outage = outageIn(world, model, root, length);
        begin = () => outage.begin(place);
        const handle = await outage.process.executor.execute(root, 'go', { sessionId: 's' });
        expect(await patiently(world, handle.result())).toEqual(DONE);
        await neverFailed(world, 's');
      },
    );

    it.race(
      `a store that does not work for a while holds a sub-agent up and does not fail it: ${where}`,
      async (world) => {
        let begin = (): void => {};
        const child = helper('child', [serverTool('work', () => begin())]);
        const root = agent('root', [subAgent(child)]);
        const model = script({
          root: [call('subagent__child'), say('done')],
          child: [call('work'), finish('found')],
        });
        const outage = outageIn(world, model, root, length);
        begin = () => outage.begin(place);
        const handle = await outage.process.executor.execute(root, 'go', { sessionId: 's' });
        expect(await patiently(world, handle.result())).toEqual(DONE);
        expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'completed' });
      },
    );
  }

  longOutages(it);
  it.leased(
    'a store that does not work for longer than a lease leaves the run to the next owner',
    async (world) => {
      let begin = (): void => {};
      const root = agent('root', [serverTool('work', () => begin())]);
      const model = script({ root: [call('work'), say('done')] });
      const outage = outageIn(world, model, root, { retries: RETRIES, lastCalls: Infinity });
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
      expect(await patiently(world, handle.result())).toEqual(DONE);
      await neverFailed(world, 's');
    },
  );
}

function longOutages(it: Scenario): void {
  const length = { retries: MANY_RETRIES, lastCalls: 1 };

  it.race(
    'a store that does not work for longer than operations are tried holds up a tool and a sub-agent of one step',
    async (world) => {
      let begin = (): void => {};
      const child = helper('child', [serverTool('work', () => begin())]);
      const root = agent('root', [subAgent(child), serverTool('look', () => 'seen')]);
      const model = script({
        root: [call('subagent__child', 'look'), say('done')],
        child: [call('work'), finish('found')],
      });
      const outage = outageIn(world, model, root, length);
      begin = () => outage.begin(0);
      const handle = await outage.process.executor.execute(root, 'go', { sessionId: 's' });
      expect(await patiently(world, handle.result())).toEqual(DONE);
      expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'completed' });
      expect(await world.results('s')).toEqual([expect.stringContaining('found'), 'seen']);
      await neverFailed(world, 's');
    },
  );

  it.race(
    'an answer that was streamed again and again while the store did not work stands in the stream once',
    async (world) => {
      let begin = (): void => {};
      const root = agent('root', []);
      const answer = (): ReturnType<typeof say> => {
        begin();
        return say('done');
      };
      const outage = outageIn(world, script({ root: [answer] }), root, {
        retries: RETRIES + 1,
        lastCalls: 0,
        writesOnly: true,
      });
      begin = () => outage.begin(0);
      const handle = await outage.process.executor.execute(root, 'go', { sessionId: 's' });
      expect(await patiently(world, handle.result())).toEqual(DONE);
      const text = standing(await world.chunks('s')).flatMap(({ chunk }) =>
        chunk.type === 'text_delta' ? [chunk.delta] : [],
      );
      expect(text.join('')).toBe('done');
    },
  );

  it.race(
    'a result that another process waits for outlasts a store that does not work',
    async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('work', () => held.pass())]);
      const model = script({ root: [call('work'), say('done')] });
      const driving = world.process({ model, agents: [root] });
      await driving.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      const outage = outageIn(world, model, root, { retries: 0, lastCalls: Infinity });
      const handle = await outage.process.executor.resume('s', { ifRunning: 'attach' });
      outage.begin(0);
      const ended = patiently(world, handle.result());
      held.open();
      await until('it is done', async () => (await world.session('s')).status === 'completed');
      const refused = outage.refused();
      await until('the result was asked for in vain', () => outage.refused() > refused + 1);
      outage.end();
      expect(await ended).toEqual(DONE);
    },
  );
}
