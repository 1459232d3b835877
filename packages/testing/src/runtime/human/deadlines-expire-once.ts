// If this fails: a question runs out twice, too early, in one process but not in another, or its deadline starts anew
// with every restart.
import type { AgentHooks, Clock } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool } from '../definitions.ts';
import type { Process } from '../process.ts';
import { call, say, script, timesAsked, use } from '../script.ts';
import {
  answer,
  decide,
  resumeOnce,
  runOnce,
  waiting,
  type Scenario,
  type World,
} from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export function deadlinesExpireOnce(it: Scenario): void {
  describe('expiring deadlines', () => {
    it('logs a deadline where a late answer notices it, and counts the wait up to the deadline', async (world) => {
      const gate = gatedTool('gate', () => 'open', { approvalTimeoutMs: MINUTE });
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: MINUTE }), gate]);
      const model = script({ root: [call('pick', 'gate'), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      await world.clock.skip(72 * 60 * MINUTE);
      const desk = world.process(running);
      for (const _ of [1, 2]) {
        expect(await answer(desk, 's', 'pick', 'red')).toEqual({ status: 'expired' });
        expect(await decide(desk, 's', 'gate', true)).toEqual({ status: 'expired' });
        await world.clock.skip(MINUTE);
      }
      expect((await desk.executor.sweep()).expired).toBe(0);
      const told = desk.events.filter(({ name }) => name === 'client_tool.timeout');
      const deadlineAt = (await world.calls('s'))[0]?.deadlineAt;
      expect(told.map(({ data }) => data)).toEqual(
        ['pick', 'gate'].map((toolCallId) => ({ sessionId: 's', toolCallId, deadlineAt })),
      );
      expect(await resumeOnce(world.process(running), 's')).toMatchObject({ status: 'completed' });
      const waits = (await world.usage.getEntries('s', { kinds: ['custom'] })).filter(
        ({ source }) => source.type === 'client_tool_wait_ms',
      );
      expect(waits.map(({ data }) => data['value'])).toEqual([MINUTE, MINUTE]);
    });

    it('DEAD-01 moves 500 calls that expire together in one write, and answers each once', async (world) => {
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: MINUTE })]);
      const ids = Array.from({ length: 500 }, (_, n) => `pick-${n}`);
      const calls = ids.map((id) => use('pick', {}, id));
      const model = script({ root: [call(...calls), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      await world.clock.skip(MINUTE + 1);
      let writes = 0;
      const sweeper = world.process({
        model,
        agents: [root],
        after: (method) => {
          if (method === 'expireCalls' || method === 'commit') writes += 1;
        },
      });
      expect(await sweeper.executor.sweep()).toMatchObject({ expired: 500 });
      expect(writes).toBe(1);
      expect(await world.results('s'), 'the sweep moves rows only').toEqual([]);
      expect(await world.chunksOf('s', 'tool_end')).toEqual([]);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      const ends = await world.chunksOf('s', 'tool_end');
      expect(ends.map((one) => [one.toolCallId, one.error])).toEqual(
        ids.map((id) => [id, 'client_tool_timeout']),
      );
      const tools = await world.usage.getEntries('s', { kinds: ['tool'] });
      expect(tools.filter((one) => one.data['success'] === false)).toHaveLength(500);
    });

    it('DEAD-01 fires onMessage and afterTool of an expired call when it is taken in', async (world) => {
      const fired: string[] = [];
      const hooks: AgentHooks = {
        onMessage: ({ message }) => {
          if (message.role === 'tool') fired.push(`onMessage ${message.errorDetail?.code}`);
        },
        afterTool: ({ outcome }) => {
          fired.push(`afterTool ${outcome.success ? 'ok' : outcome.error.code}`);
        },
      };
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: MINUTE })], { hooks });
      const model = script({ root: [call('pick'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      await world.clock.skip(MINUTE + 1);
      await world.process({ model, agents: [root] }).executor.sweep();
      expect(fired).toEqual([]);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      expect([...new Set(fired)]).toEqual([
        'onMessage client_tool_timeout',
        'afterTool client_tool_timeout',
      ]);
    });

    it.race(
      'DEAD-03 gives an answer that races the sweep one outcome, and tells a late one',
      async (world) => {
        const ran: string[] = [];
        const send = gatedTool('send', () => ran.push('sent'), { approvalTimeoutMs: MINUTE });
        const root = agent('root', [send]);
        const model = script({ root: [call('send'), say('done')] });
        for (const early of [-1, 0, 1]) {
          const id = `s${early}`;
          await runOnce(world.process({ model, agents: [root] }), root, id);
          const [a, b] = [0, 0].map(() => world.process({ model, agents: [root] }));
          await world.clock.skip(MINUTE + early * 20);
          const before = ran.length;
          const [, said] = await Promise.all([
            (a as Process).executor.sweep(),
            decide(b as Process, id, 'send', true),
          ]);
          const outcome = (await world.calls(id))[0]?.outcome;
          expect(said.status).toBe(outcome === 'expired' ? 'expired' : 'accepted');
          const late = await decide(a as Process, id, 'send', true);
          expect(late.status).toBe(outcome === 'expired' ? 'expired' : 'already_completed');
          expect(await resumeOnce(world.process({ model, agents: [root] }), id)).toEqual(DONE);
          expect(ran.length - before).toBe(outcome === 'expired' ? 0 : 1);
          const end = await decide(b as Process, id, 'send', true);
          expect(end.status, 'the same after it is settled').toBe(late.status);
        }
      },
    );

    it('DEAD-04 expires at most the difference of two clocks too early or too late, and once', async (world) => {
      const skew = 5 * MINUTE;
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: 20 * MINUTE })]);
      const model = script({ root: [call('pick'), say('done')] });
      const running = { model, agents: [root] };
      const fast = world.process({ ...running, clock: wrong(world, () => skew) });
      const slow = world.process({ ...running, clock: wrong(world, () => -skew) });
      await runOnce(slow, root, 'early');
      await runOnce(fast, root, 'late');
      await world.clock.skip(9 * MINUTE);
      expect(await fast.executor.sweep(), 'no more than ten minutes early').toMatchObject({
        expired: 0,
      });
      await world.clock.skip(2 * MINUTE);
      expect(await fast.executor.sweep()).toMatchObject({ expired: 1 });
      expect(await slow.executor.sweep()).toMatchObject({ expired: 0 });
      expect(await answer(slow, 'early', 'pick', 'red')).toEqual({ status: 'expired' });
      await world.clock.skip(18 * MINUTE);
      expect((await slow.executor.sweep()).expired).toBe(0);
      await world.clock.skip(2 * MINUTE);
      expect((await slow.executor.sweep()).expired).toBe(1);
      expect((await fast.executor.sweep()).expired).toBe(0);
      for (const id of ['early', 'late']) {
        expect(await resumeOnce(world.process(running), id)).toEqual(DONE);
        expect(await world.results(id)).toHaveLength(1);
      }
    });

    it('DEAD-04 does not open an expired call again when a clock is set back', async (world) => {
      let offset = 0;
      const clock = wrong(world, () => offset);
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: MINUTE })]);
      const model = script({ root: [call('pick'), say('done')] });
      const process = world.process({ model, agents: [root], clock });
      await runOnce(process, root, 's');
      await world.clock.skip(MINUTE + 1);
      expect(await process.executor.sweep()).toMatchObject({ expired: 1 });
      offset = -60 * MINUTE;
      expect(await process.executor.sweep()).toMatchObject({ expired: 0 });
      expect(await answer(process, 's', 'pick', 'red')).toEqual({ status: 'expired' });
      const next = world.process({ model, agents: [root], clock });
      expect(await resumeOnce(next, 's')).toEqual(DONE);
      expect(await world.results('s')).toHaveLength(1);
    });

    it('DEAD-05 expires once when every process was down for days, over three restarts', async (world) => {
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: DAY })]);
      const model = script({ root: [call('pick'), say('done')] });
      const first = world.process({ model, agents: [root] });
      await runOnce(first, root, 's');
      const deadlineAt = (await world.calls('s'))[0]?.deadlineAt;
      first.kill();
      await world.clock.skip(3 * DAY);
      let expired = 0;
      for (let life = 0; life < 3; life += 1) {
        const process = world.process({ model, agents: [root] });
        await process.executor.recover();
        expired += (await process.executor.sweep()).expired;
        process.kill();
        await world.clock.skip(DAY);
      }
      expect((await world.calls('s'))[0]).toMatchObject({ deadlineAt, outcome: 'expired' });
      expect(expired, 'recover had swept').toBe(0);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      expect(await world.chunksOf('s', 'tool_end')).toHaveLength(1);
      expect(timesAsked(model, 'root')).toBe(2);
    });

    it.race(
      'DEAD-06 settles two sweeps, a resume and an answer at the deadline one way',
      async (world) => {
        const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: MINUTE })]);
        const model = script({ root: [call('pick'), say('done')] });
        for (let round = 0; round < 10; round += 1) {
          const id = `s${round}`;
          await runOnce(world.process({ model, agents: [root] }), root, id);
          const each = [1, 2, 3, 4].map(() => world.process({ model, agents: [root] }));
          const [a, b, c, d] = each as [Process, Process, Process, Process];
          await world.clock.skip(MINUTE - 2 + (round % 4));
          const [first, second, said, resumed] = await Promise.all([
            a.executor.sweep(),
            b.executor.sweep(),
            answer(c, id, 'pick', 'red'),
            resumeOnce(d, id),
          ]);
          const outcome = (await world.calls(id))[0]?.outcome;
          expect(said.status).toBe(outcome === 'expired' ? 'expired' : 'accepted');
          expect(first.expired + second.expired).toBeLessThanOrEqual(1);
          if ('suspended' in resumed)
            await resumeOnce(world.process({ model, agents: [root] }), id);
          const results = (await world.messages(id)).filter((one) => one.role === 'tool');
          expect(results).toMatchObject([{ success: outcome === 'answered' }]);
        }
      },
    );

    it('never lets a call run out that was told to wait for ever', async (world) => {
      const tools = [
        clientTool('pick', { clientToolTimeoutMs: 'never' }),
        gatedTool('send', () => 'sent', { approvalTimeoutMs: 'never' }),
      ];
      const root = agent('root', tools);
      const model = script({ root: [call('pick', 'send'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      await world.clock.skip(3_650 * DAY);
      const later = world.process({ model, agents: [root] });
      expect(await later.executor.sweep()).toMatchObject({ expired: 0, reminded: 0 });
      expect(waiting(await resumeOnce(later, 's'))).toEqual(['pick', 'send']);
      expect(await answer(later, 's', 'pick', 'red')).toEqual({ status: 'accepted' });
      expect(await decide(later, 's', 'send', true)).toEqual({ status: 'accepted' });
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
    });
  });
}

/** The world's time, shown wrong. */
function wrong(world: World, offset: () => number): Clock {
  const { clock } = world;
  return {
    now: () => clock.now() + offset(),
    setTimer: (ms, callback) => clock.setTimer(ms, callback),
  };
}
