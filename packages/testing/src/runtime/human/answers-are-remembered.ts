// If this fails: a client that repeats its answer gets another outcome than the first time, a second result appears, or
// the answers of years pile up in the store.
import { AgentAlreadyRunningError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, subAgent } from '../definitions.ts';
import { closesStep, onFirst } from '../plan-kinds.ts';
import { LEASE_MS } from '../process.ts';
import { call, finish, say, script } from '../script.ts';
import { barrier, until } from '../waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COMPLETED = { status: 'already_completed' };

export function answersAreRemembered(it: Scenario): void {
  describe('remembered answers', () => {
    it('IDEM-01 says already_completed within the retention, in every process, and then no more', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      const fresh = (): ReturnType<typeof world.process> =>
        world.process({ model, agents: [root] });
      await runOnce(fresh(), root, 's');
      await answer(fresh(), 's', 'pick', 'red');
      expect(await answer(fresh(), 's', 'pick', 'blue'), 'before it is taken in').toEqual(
        COMPLETED,
      );
      expect(await resumeOnce(fresh(), 's')).toEqual(DONE);
      for (const wait of [1_000, HOUR, 22 * HOUR + 58 * MINUTE]) {
        await world.clock.skip(wait);
        const process = fresh();
        await process.executor.sweep();
        expect(await answer(process, 's', 'pick', 'blue')).toEqual(COMPLETED);
        process.kill();
      }
      await world.clock.skip(2 * MINUTE);
      const last = fresh();
      const forgotten = { status: 'unknown_tool_call', reason: 'call_not_found' };
      expect(await answer(last, 's', 'pick', 'blue'), 'before it is swept').toEqual(forgotten);
      expect(await last.executor.sweep()).toMatchObject({ purged: 1 });
      expect(await answer(last, 's', 'pick', 'blue')).toEqual(forgotten);
      expect(await world.results('s')).toEqual(['red']);
    });

    it('IDEM-02 forgets a call past its retention when the next one is settled, without a sweep', async (world) => {
      const root = agent('root', [clientTool('pick')], { completedTombstoneRetentionMs: HOUR });
      const model = script({ root: [call('pick'), call('pick'), say('done')] });
      const running = { model, agents: [root] };
      const [first] = waiting(await runOnce(world.process(running), root, 's'));
      await answer(world.process(running), 's', first as string, 'red');
      const [second] = waiting(await resumeOnce(world.process(running), 's'));
      await world.clock.skip(HOUR + MINUTE);
      await answer(world.process(running), 's', second as string, 'blue');
      await resumeOnce(world.process(running), 's');
      const kept = async (): Promise<readonly string[]> =>
        (await world.calls('s')).map(({ toolCallId }) => toolCallId);
      expect(await kept()).not.toContain(first);
      expect(await kept()).toContain(second);
    });

    it('IDEM-02 keeps as many settled calls as the retention holds, however many were answered', async (world) => {
      const rounds = 24;
      const root = agent('root', [clientTool('pick')], {
        completedTombstoneRetentionMs: HOUR,
        maxSteps: rounds + 1,
      });
      const model = script({
        root: [...Array<ReturnType<typeof call>>(rounds).fill(call('pick')), say('done')],
      });
      let most = 0;
      let result = await runOnce(world.process({ model, agents: [root] }), root, 's');
      for (let round = 0; round < rounds; round += 1) {
        const process = world.process({ model, agents: [root] });
        const [open] = waiting(result);
        expect(await answer(process, 's', open as string, round)).toEqual({ status: 'accepted' });
        result = await resumeOnce(process, 's');
        await world.clock.skip(4 * MINUTE);
        await process.executor.sweep();
        most = Math.max(most, (await world.calls('s')).length);
      }
      expect(result).toEqual(DONE);
      expect(most, 'an hour at fifteen an hour, and the one that is open').toBeLessThanOrEqual(17);
      expect(await world.results('s')).toEqual([...Array(rounds).keys()].map(String));
    });

    it('IDEM-03 settles the row at the root when its taker died right after taking the answer in', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('here')],
      });
      const asking = world.process({ model, agents: [root] });
      const [pick] = waiting(await runOnce(asking, root, 's'));
      await answer(asking, 's', pick as string, 'red');
      const taking = world.process({
        model,
        agents: [root],
        after: onFirst(closesStep, () => taking.kill()),
      });
      void taking.executor.resume('s').catch(() => undefined);
      await until('it is taken in', async () => (await world.results('s-sub-1-0')).length > 0);
      expect((await world.calls('s'))[0]?.state, 'never open with a result').not.toBe('open');
      expect(await answer(asking, 's', pick as string, 'blue')).toEqual(COMPLETED);
      await world.clock.skip(LEASE_MS + 1);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      expect((await world.results('s-sub-1-0'))[0]).toBe('red');
      expect((await world.calls('s'))[0]?.state).toBe('settled');
      expect(await answer(asking, 's', pick as string, 'blue')).toEqual(COMPLETED);
    });

    it.race('IDEM-04 lets one of twenty create a session', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const model = script({
        root: [
          async () => {
            await held.pass();
            return say('done');
          },
        ],
      });
      const tried = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          world
            .process({ model, agents: [root] })
            .executor.execute(root, `message ${n}`, { sessionId: 's' }),
        ),
      );
      const won = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const lost = tried.flatMap((one) =>
        one.status === 'rejected' ? [one.reason as unknown] : [],
      );
      expect(won).toHaveLength(1);
      expect(lost.every((error) => AgentAlreadyRunningError.isInstance(error))).toBe(true);
      held.open();
      expect(await won[0]?.result()).toEqual(DONE);
      expect((await world.messages('s')).map((one) => one.role)).toEqual(['user', 'assistant']);
      expect(await world.runs('s')).toHaveLength(1);
    });
  });
}
