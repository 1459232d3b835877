// If this fails: a session waits for ever because nobody called, a person is reminded twice or not at all, or a sweep
// reads every open call to find the few that are due.
import { HelixError, type AgentHooks } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, subAgent } from '../definitions.ts';
import { call, finish, say, script, timesAsked, use } from '../script.ts';
import { barrier, until } from '../waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const MINUTE = 60_000;

export function sweepsFindWhatIsDue(it: Scenario): void {
  const picking = agent('root', [clientTool('pick', { clientToolTimeoutMs: 10 * MINUTE })]);
  const pickOnce = { root: [call('pick'), say('done')] };

  describe('sweeps', () => {
    it('DEAD-07 lists only the expired among 1,000 open calls', async (world) => {
      const patient = clientTool('patient', { clientToolTimeoutMs: 60 * MINUTE });
      const hasty = clientTool('hasty', { clientToolTimeoutMs: MINUTE });
      const root = agent('root', [patient, hasty]);
      const many = Array.from({ length: 24 }, (_, n) => use('patient', {}, `patient-${n}`));
      const rushed = new Set(['s7', 's21', 's33']);
      const model = script({
        root: [
          ({ agentId }) =>
            call(...many, use(rushed.has(agentId) ? 'hasty' : 'patient', {}, 'last')),
        ],
      });
      const process = world.process({ model, agents: [root] });
      await Promise.all(Array.from({ length: 40 }, (_, n) => runOnce(process, root, `s${n}`)));
      await world.clock.skip(MINUTE + 1);
      const now = world.clock.now();
      const due = await world.index.findDue({ now, hostKind: 'js', limit: 100 });
      expect(due.overdueTops.map(({ sessionId }) => sessionId).toSorted()).toEqual(
        [...rushed].toSorted(),
      );
      const read: string[] = [];
      const before = (method: string): 'pass' => {
        read.push(method);
        return 'pass';
      };
      const sweeper = world.process({ model, agents: [root], before });
      expect(await sweeper.executor.sweep()).toMatchObject({ expired: 3 });
      expect(read.filter((method) => method === 'expireCalls')).toHaveLength(3);
      expect(read.filter((method) => method === 'readCalls' || method === 'readStep')).toEqual([]);
    });

    it('DEAD-07 closes an expired call when nobody calls, and leaves the session to a resume', async (world) => {
      const model = script(pickOnce);
      await runOnce(world.process({ model, agents: [picking] }), picking, 's');
      const supervisor = world.process({ model, agents: [picking] });
      const stop = supervisor.executor.supervise({ everyMs: MINUTE });
      await world.clock.skip(9 * MINUTE);
      expect((await world.calls('s'))[0]?.state).toBe('open');
      await until('it is expired', async () => {
        await world.clock.skip(MINUTE + 1);
        return (await world.calls('s'))[0]?.outcome === 'expired';
      });
      await stop();
      expect(await world.session('s')).toMatchObject({ status: 'suspended_client_tool' });
      expect(timesAsked(model, 'root')).toBe(1);
      expect(await resumeOnce(world.process({ model, agents: [picking] }), 's')).toEqual(DONE);
    });

    it('SUB-10 goes on by itself after an answer or a deadline when it is told to', async (world) => {
      const child = helper('child', [clientTool('pick', { clientToolTimeoutMs: 10 * MINUTE })]);
      const root = agent('root', [
        clientTool('ask', { clientToolTimeoutMs: 'never' }),
        subAgent(child),
      ]);
      const model = script({
        root: [call('ask', 'subagent__child'), say('done')],
        child: [call('pick'), finish('here')],
      });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const supervisor = world.process({ model, agents: [root] });
      const stop = supervisor.executor.supervise({ everyMs: MINUTE, autoResume: true });
      await answer(world.process({ model, agents: [root] }), 's', 'ask', 'yes');
      await world.clock.skip(2 * MINUTE);
      expect((await world.session('s')).status, 'one is still open').toMatch(/^suspended_/);
      expect(await world.runs('s'), 'not worth a run').toHaveLength(1);
      await world.clock.skip(9 * MINUTE);
      await until('it goes on', async () => {
        await world.clock.skip(MINUTE);
        return (await world.session('s')).status === 'completed';
      });
      await stop();
      expect(await world.runs('s')).toHaveLength(2);
      expect(await world.results('s')).toEqual(['yes', '{"said":"here"}']);
    });

    it('SUB-10 takes an answer in although the resume came before it', async (world) => {
      const model = script(pickOnce);
      await runOnce(world.process({ model, agents: [picking] }), picking, 's');
      const early = world.process({ model, agents: [picking] });
      expect(waiting(await resumeOnce(early, 's'))).toEqual(['pick']);
      early.kill();
      await answer(world.process({ model, agents: [picking] }), 's', 'pick', 'red');
      const later = world.process({ model, agents: [picking] });
      expect((await later.executor.sweep()).answered, 'found without a resume').toEqual(['s']);
      expect(await resumeOnce(later, 's')).toEqual(DONE);
      expect((await later.executor.sweep()).answered).toEqual([]);
    });

    it('resumes nothing unless it is told to, and hides from nobody what is answered', async (world) => {
      const model = script(pickOnce);
      const first = world.process({ model, agents: [picking] });
      await runOnce(first, picking, 's');
      await answer(first, 's', 'pick', 'red');
      const { executor, log } = world.process({ model, agents: [picking] });
      const idle = executor.supervise({ everyMs: MINUTE });
      await executor.recover();
      expect((await executor.sweep()).answered, 'for who asks').toEqual(['s']);
      await world.clock.skip(10 * MINUTE);
      await idle();
      expect(await world.runs('s')).toHaveLength(1);
      await executor.recover();
      const stop = executor.supervise({ everyMs: MINUTE, autoResume: true });
      await until('it is done', async () => (await world.session('s')).status === 'completed');
      await stop();
      expect(await world.runs('s')).toHaveLength(2);
      expect(log).not.toContain('supervise.not_resumed');
    });

    it('refuses a pause that is none', async (world) => {
      const { executor } = world.process({ model: script(pickOnce), agents: [picking] });
      for (const everyMs of [0, -1, Number.NaN, Infinity]) {
        expect(() => executor.supervise({ everyMs })).toThrow(
          expect.objectContaining({ code: 'INVALID_REQUEST' }),
        );
      }
    });

    it.leased('supervises no longer once it is shut down', async (world) => {
      const model = script(pickOnce);
      const first = world.process({ model, agents: [picking] });
      await runOnce(first, picking, 's');
      const { executor, log } = world.process({ model, agents: [picking] });
      const stop = executor.supervise({ everyMs: MINUTE, autoResume: true });
      await executor.shutdown({ graceMs: 1 });
      await answer(first, 's', 'pick', 'red');
      await world.clock.skip(10 * MINUTE);
      expect(await world.runs('s')).toHaveLength(1);
      expect(log).not.toContain('supervise.sweep_failed');
      await stop();
    });

    it('lets one of two supervisors resume, and says nothing bad of the other', async (world) => {
      const model = script(pickOnce);
      const first = world.process({ model, agents: [picking] });
      await runOnce(first, picking, 's');
      await answer(first, 's', 'pick', 'red');
      const two = [1, 2].map(() => world.process({ model, agents: [picking] }));
      const stops = two.map(({ executor }) => executor.supervise({ autoResume: true }));
      await until('it is done', async () => (await world.session('s')).status === 'completed');
      for (const stop of stops) await stop();
      expect(await world.runs('s')).toHaveLength(2);
      expect(timesAsked(model, 'root')).toBe(2);
      const bad = two.flatMap(({ events }) => events.filter((one) => one.level === 'error'));
      expect(bad).toEqual([]);
    });

    it('goes on supervising after a root that could not be swept', async (world) => {
      const model = script(pickOnce);
      await runOnce(world.process({ model, agents: [picking] }), picking, 's');
      await world.clock.skip(10 * MINUTE + 1);
      let down = true;
      const supervisor = world.process({
        model,
        agents: [picking],
        before: (method) => (down && method === 'expireCalls' ? 'fail-before' : 'pass'),
      });
      const stop = supervisor.executor.supervise({ everyMs: MINUTE });
      await until('it is told', () => supervisor.log.includes('sweep.item_failed'));
      down = false;
      await until('it is expired', async () => {
        await world.clock.skip(MINUTE + 1);
        return (await world.calls('s'))[0]?.outcome === 'expired';
      });
      await stop();
    });

    // A hundred workflows would show of an engine only what every sweep does.
    it.leased(
      'RECV-08 goes on with what is answered behind a page of sessions nobody here can resume',
      async (world) => {
        const strange = agent('strange', [clientTool('pick')]);
        const model = script({
          root: [call('pick'), say('done')],
          strange: [call('pick'), say('done')],
        });
        const first = world.process({ model, agents: [strange, picking] });
        for (let n = 0; n < 101; n += 1) {
          await runOnce(first, strange, `strange-${n}`);
          await answer(first, `strange-${n}`, 'pick', 'red');
        }
        await world.clock.skip(1_000);
        await runOnce(first, picking, 's');
        await answer(first, 's', 'pick', 'red');
        // Its time stands still: a session that was refused is not tried again, however long the sweep takes.
        const at = world.clock.now();
        const clock = { ...world.clock, now: () => at };
        const supervisor = world.process({ model, agents: [picking], clock });
        const stop = supervisor.executor.supervise({ everyMs: MINUTE, autoResume: true });
        await until('it went on', async () => (await world.session('s')).status === 'completed');
        await stop();
        const refused = supervisor.events.filter(({ name }) => name === 'supervise.not_resumed');
        expect(refused, 'each once').toHaveLength(101);
      },
    );

    it('RECV-08 leaves a tree that waits for a person in peace, for as long as it takes', async (world) => {
      const child = helper('child', [clientTool('pick', { clientToolTimeoutMs: 'never' })]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('here')],
      });
      const running = { model, agents: [root], limits: { maxRecoveries: 1 } };
      const [pick] = waiting(await runOnce(world.process(running), root, 's'));
      const before = await world.sessions();
      for (let day = 0; day < 20; day += 1) {
        await world.clock.skip(24 * 60 * MINUTE);
        const process = world.process(running);
        await process.executor.recover();
        expect(await process.executor.sweep()).toMatchObject({ recovered: 0, answered: [] });
        process.kill();
      }
      expect(await world.sessions(), 'untouched').toEqual(before);
      await answer(world.process(running), 's', pick as string, 'red');
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect((await world.sessions()).map((one) => one.recoveries)).toEqual([0, 0]);
    });

    it('reminds of others while a hook hangs', async (world) => {
      const held = barrier();
      const asked: string[] = [];
      const onCallReminder: AgentHooks['onCallReminder'] = async ({ call: row }) => {
        asked.push(row.rootId);
        if (row.rootId === 's0') await held.pass();
      };
      const root = agent('root', picking.tools ?? [], { hooks: { onCallReminder } });
      const model = script(pickOnce);
      const first = world.process({ model, agents: [root] });
      for (const sessionId of ['s0', 's1', 's2']) await runOnce(first, root, sessionId);
      await world.clock.skip(9 * MINUTE);
      const swept = first.executor.sweep();
      await until('all are reminded of', () => asked.length === 3);
      held.open();
      expect(await swept).toMatchObject({ reminded: 3 });
    });

    it('reminds of each open call once before its deadline, with two sweepers', async (world) => {
      const reminded: string[] = [];
      const refused: unknown[] = [];
      const onCallReminder: AgentHooks['onCallReminder'] = ({ call: row }, context) => {
        reminded.push(`${context.agentType} ${row.toolName} ${row.kind}`);
        try {
          context.updateState(() => undefined);
        } catch (error) {
          refused.push(HelixError.isInstance(error) ? error.code : error);
        }
      };
      const child = helper(
        'child',
        [gatedTool('send', () => 'sent', { approvalTimeoutMs: 10 * MINUTE })],
        { hooks: { onCallReminder } },
      );
      const tools = [...(picking.tools ?? []), clientTool('look'), subAgent(child)];
      const root = agent('root', tools, {
        hooks: { onCallReminder },
        clientToolTimeoutMs: 10 * MINUTE,
      });
      const model = script({
        root: [call('pick', 'look', 'subagent__child'), say('done')],
        child: [call('send'), finish('here')],
      });
      const first = world.process({ model, agents: [root] });
      const open = waiting(await runOnce(first, root, 's'));
      await answer(first, 's', 'look', 'seen');
      const two = [1, 2].map(() => world.process({ model, agents: [root] }));
      const sweep = async (): Promise<number> => {
        const swept = await Promise.all(two.map(({ executor }) => executor.sweep()));
        return swept.reduce((sum, one) => sum + one.reminded, 0);
      };
      await world.clock.skip(7 * MINUTE);
      expect(await sweep()).toBe(0);
      await world.clock.skip(MINUTE + 1_000);
      expect(await sweep()).toBe(2);
      expect(await sweep()).toBe(0);
      expect(reminded.toSorted()).toEqual(['child send approval', 'root pick client']);
      expect(refused).toEqual(['state_update_too_late', 'state_update_too_late']);
      await answer(first, 's', 'pick', 'red');
      const send = open.find((id) => id.startsWith('send'));
      await decide(first, 's', send as string, true);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
    });
  });
}
