// If this fails: a question nobody answers blocks its session for ever, or a late answer is thrown away in silence.
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, subAgent } from './definitions.ts';
import { call, finish, say, script, timesAsked } from './script.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const MINUTE = 60_000;

export function deadlines(it: Scenario): void {
  describe('deadlines', () => {
    it('DEAD-01 expires one call, keeps the answered one, waits for the open one', async (world) => {
      const root = agent('root', [
        clientTool('short', { clientToolTimeoutMs: MINUTE }),
        clientTool('answered', { clientToolTimeoutMs: MINUTE }),
        clientTool('long', { clientToolTimeoutMs: 'never' }),
      ]);
      const model = script({ root: [call('short', 'answered', 'long'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await answer(process, 's', 'answered', 'in time');
      await world.clock.skip(MINUTE + 1);
      expect(await process.executor.sweep()).toMatchObject({ expired: 1 });
      expect(await process.executor.sweep()).toMatchObject({ expired: 0 });
      expect(await answer(process, 's', 'short', 'late')).toEqual({ status: 'expired' });
      expect(waiting(await resumeOnce(process, 's'))).toEqual(['long']);
      expect(timesAsked(model, 'root')).toBe(1);
      const [ended] = (await world.chunksOf('s', 'tool_end')).filter((one) => !one.success);
      expect(ended).toMatchObject({ toolCallId: 'short', error: 'client_tool_timeout' });
      await answer(process, 's', 'long', 'at last');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      const results = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(results).toMatchObject([
        { errorDetail: { code: 'client_tool_timeout' } },
        { content: 'in time' },
        { content: 'at last' },
      ]);
    });

    it('DEAD-01 holds without a sweep: resume expires what is due', async (world) => {
      const root = agent('root', [clientTool('pick')], { clientToolTimeoutMs: MINUTE });
      const model = script({ root: [call('pick'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await world.clock.skip(MINUTE + 1);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect((await world.messages('s')).at(2)).toMatchObject({
        errorDetail: { code: 'client_tool_timeout' },
      });
    });

    it('DEAD-01 takes waits that are no whole number of milliseconds', async (world) => {
      const root = agent('root', [clientTool('pick'), gatedTool('send', () => 'sent')], {
        clientToolTimeoutMs: MINUTE + 0.1,
        approvalTimeoutMs: (0.1 + 0.2) * MINUTE,
        completedTombstoneRetentionMs: MINUTE + 0.5,
      });
      const model = script({ root: [call('pick', 'send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(waiting(await runOnce(process, root, 's'))).toEqual(['pick', 'send']);
      await world.clock.skip(MINUTE + 1);
      expect(await process.executor.sweep()).toMatchObject({ expired: 2 });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });

    it('DEAD-03 tells a late answer that it is late, also when nobody swept', async (world) => {
      const ran: string[] = [];
      const send = gatedTool('send', () => ran.push('sent'), { approvalTimeoutMs: MINUTE });
      const root = agent('root', [send]);
      const model = script({ root: [call('send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await world.clock.skip(MINUTE + 1);
      const deadlineAt = (await world.calls('s'))[0]?.deadlineAt;
      expect(await decide(process, 's', 'send', true)).toEqual({ status: 'expired' });
      expect(await decide(process, 's', 'send', true)).toEqual({ status: 'expired' });
      const late = process.events.filter(({ name }) => name === 'client_tool.submit_late');
      const fields = { sessionId: 's', toolCallId: 'send', deadlineAt };
      const told = { level: 'warn', data: { ...fields, lateByMs: expect.any(Number) } };
      expect(late).toMatchObject([told, told]);
      expect(late.every(({ data }) => Reflect.get(data, 'lateByMs') > 0)).toBe(true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual([]);
    });

    it('DEAD-05 counts from the opening, over any number of processes', async (world) => {
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: 3 * MINUTE })]);
      const model = script({ root: [call('pick'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const [opened] = await world.calls('s');
      for (let life = 0; life < 2; life += 1) {
        await world.clock.skip(MINUTE);
        const process = world.process({ model, agents: [root] });
        await resumeOnce(process, 's');
        expect((await world.calls('s'))[0]?.deadlineAt).toBe(opened?.deadlineAt);
      }
      await world.clock.skip(MINUTE + 1);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
    });

    it.race('DEAD-06 settles sweep, sweep and answer at the deadline one way', async (world) => {
      const root = agent('root', [clientTool('pick', { clientToolTimeoutMs: MINUTE })]);
      const model = script({ root: [call('pick'), say('done')] });
      const [a, b, c] = [1, 2, 3].map(() => world.process({ model, agents: [root] })) as never as [
        ReturnType<typeof world.process>,
        ReturnType<typeof world.process>,
        ReturnType<typeof world.process>,
      ];
      await runOnce(a, root, 's');
      await world.clock.skip(MINUTE);
      const [first, second, submitted] = await Promise.all([
        a.executor.sweep(),
        b.executor.sweep(),
        answer(c, 's', 'pick', 'red'),
      ]);
      const outcome = (await world.calls('s'))[0]?.outcome;
      expect(submitted.status).toBe(outcome === 'expired' ? 'expired' : 'accepted');
      expect(first.expired + second.expired).toBeLessThanOrEqual(1);
      expect(await resumeOnce(b, 's')).toEqual(DONE);
    });

    it('expires the call of a child at its root, and the child goes on', async (world) => {
      const child = helper('child', [clientTool('pick', { clientToolTimeoutMs: MINUTE })]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('without')],
      });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await world.clock.skip(MINUTE + 1);
      expect(await process.executor.sweep()).toMatchObject({ expired: 1 });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['{"said":"without"}']);
    });
  });
}
