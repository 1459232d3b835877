// If this fails: a sub-agent is given up because a person took their time, never given up because one was asked once,
// or a person answers one that is gone.
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from '../definitions.ts';
import { onFirst, records } from '../plan-kinds.ts';
import type { ProcessOptions } from '../process.ts';
import { call, finish, say, script } from '../script.ts';
import { barrier, until, type Barrier } from '../waiting.ts';
import {
  answer,
  patiently,
  resumeOnce,
  runOnce,
  type Scenario,
  waiting,
  type World,
} from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export function childrenRunOutOfTime(it: Scenario): void {
  describe('children that run out of time', () => {
    for (const [second, result] of [
      [10, '{"said":"here"}'],
      [30, 'subagent_timeout'],
    ] as const) {
      it.race(
        `CHLD-13 counts 40 and ${second} minutes of work, not the day a person took`,
        async (world) => {
          const held = [barrier(), barrier()] as const;
          const child = helper('child', [
            serverTool('first', () => held[0].pass()),
            clientTool('pick', { clientToolTimeoutMs: 'never' }),
            serverTool('second', () => held[1].pass()),
          ]);
          const root = agent('root', [subAgent(child, { timeoutMs: 60 * MINUTE })]);
          const model = script({
            root: [call('subagent__child'), say('done')],
            child: [call('first'), call('pick'), call('second'), finish('here')],
          });
          const running: ProcessOptions = { model, agents: [root] };
          const waits = runOnce(world.process(running), root, 's');
          await held[0].reached;
          await world.clock.skip(40 * MINUTE);
          held[0].open();
          const [pick] = waiting(await waits);
          await world.clock.skip(24 * 60 * MINUTE);
          await answer(world.process(running), 's', pick as string, 'red');
          const ended = resumeOnce(world.process(running), 's');
          await held[1].reached;
          await world.clock.skip(second * MINUTE);
          // A child whose time is over still works when it is given up.
          if (result !== 'subagent_timeout') held[1].open();
          expect(await ended).toEqual(DONE);
          held[1].open();
          const [, , message] = await world.messages('s');
          expect(JSON.stringify(message)).toContain(JSON.stringify(result).slice(1, -1));
        },
      );
    }

    it('CHLD-13 gives up in the end on a child that was let off because a person was asked', async (world) => {
      const held = [barrier(), barrier()] as const;
      const child = helper('child', [
        serverTool('slow', () => held[0].pass()),
        serverTool('hang', () => held[1].pass()),
        clientTool('pick', { clientToolTimeoutMs: 'never' }),
      ]);
      const root = agent('root', [subAgent(child, { timeoutMs: 60 * SECOND })]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('slow', 'pick'), call('hang'), finish('late')],
      });
      let triedOnce = false;
      const process = world.process({
        model,
        agents: [root],
        wrapOperations: (operations) => ({
          ...operations,
          async giveUpChild(...given) {
            const done = await operations.giveUpChild(...given);
            triedOnce = true;
            return done;
          },
        }),
      });
      const ended = runOnce(process, root, 's');
      await held[0].reached;
      await until('it asks', async () => (await world.calls('s')).length === 1);
      await world.clock.skip(61 * SECOND);
      await until('it was let off', () => triedOnce);
      expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'running' });
      const [pick] = await world.calls('s');
      await answer(process, 's', pick?.toolCallId as string, 'red');
      held[0].open();
      await held[1].reached;
      await world.clock.skip(61 * SECOND);
      expect(await ended).toEqual(DONE);
      held[1].open();
      const [, , result] = await world.messages('s');
      expect(result).toMatchObject({ errorDetail: { code: 'subagent_timeout' } });
    });

    it.race(
      'CHLD-13 gives up at once on a child that is taken up again when its time is over',
      async (world) => {
        const { running, second } = await answeredAfter(world, 61 * SECOND);
        const stopped = resumeOnce(world.process(running), 's');
        await second.reached;
        await world.process(running).executor.interrupt('s');
        expect(await stopped).toEqual({ status: 'interrupted' });
        expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
        second.open();
        const [, , message] = await world.messages('s');
        expect(message).toMatchObject({ errorDetail: { code: 'subagent_timeout' } });
      },
    );

    for (const [late, firstMs] of [
      ['in this run', SECOND],
      ['in an earlier one', 61 * SECOND],
    ] as const) {
      it.race(
        `CHLD-13 gives up on a child whose time was over ${late}, although a try fails`,
        async (world) => {
          const { running, second } = await answeredAfter(world, firstMs);
          let tries = 0;
          const failing = world.process({
            ...running,
            wrapOperations: (operations) => ({
              ...operations,
              async giveUpChild(...given) {
                tries += 1;
                if (tries === 1) throw new Error('connection lost');
                return operations.giveUpChild(...given);
              },
            }),
          });
          const result = await patiently(world, resumeOnce(failing, 's'), SECOND);
          second.open();
          expect(result).toEqual(DONE);
          expect(tries).toBeGreaterThan(1);
          const [, , message] = await world.messages('s');
          expect(message).toMatchObject({ errorDetail: { code: 'subagent_timeout' } });
        },
      );
    }

    it('CHLD-13 registers no call of a child it has given up, although the reply got lost', async (world) => {
      const held = barrier();
      const child = helper('child', [clientTool('pick'), serverTool('slow', () => held.pass())]);
      const root = agent('root', [subAgent(child, { timeoutMs: 60 * SECOND })]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('slow'), call('pick'), finish('late')],
      });
      let lost = false;
      const process = world.process({
        model,
        agents: [root],
        before: (_, plan) => {
          if (lost || !plan || !records('result', 's')(plan)) return 'pass';
          lost = true;
          return 'fail-after';
        },
        after: onFirst(records('result', 's'), () => held.open()),
      });
      const ended = runOnce(process, root, 's');
      await held.reached;
      await world.clock.skip(61 * SECOND);
      expect(await ended).toEqual(DONE);
      await process.executor.sweep();
      expect(await world.calls('s')).toEqual([]);
      expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'failed', closed: true });
      expect(await world.results('s')).toHaveLength(1);
    });
  });
}

/**
 * A child with a minute of time that worked for `firstMs`, asked and was answered, its root suspended; its next tool holds at
 * `second`.
 */
async function answeredAfter(
  world: World,
  firstMs: number,
): Promise<{ readonly running: ProcessOptions; readonly second: Barrier }> {
  const [first, second] = [barrier(), barrier()];
  const child = helper('child', [
    serverTool('first', () => first.pass()),
    clientTool('pick', { clientToolTimeoutMs: 'never' }),
    serverTool('second', () => second.pass()),
  ]);
  const root = agent('root', [subAgent(child, { timeoutMs: 60 * SECOND })]);
  const model = script({
    root: [call('subagent__child'), say('done')],
    child: [call('first', 'pick'), call('second'), finish('late')],
  });
  const running: ProcessOptions = { model, agents: [root] };
  const waits = runOnce(world.process(running), root, 's');
  await first.reached;
  await until('it asks', async () => (await world.calls('s')).length === 1);
  await world.clock.skip(firstMs);
  first.open();
  const [pick] = waiting(await waits);
  await answer(world.process(running), 's', pick as string, 'red');
  return { running, second };
}
