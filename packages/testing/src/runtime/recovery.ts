// If this fails: after a restart sessions stay stuck, are stolen from processes that live, or recovery stands in the way
// of the first request.
import { describe, expect } from 'vitest';
import { cancelledRecovery } from './cancelled-recovery.ts';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { LEASE_MS } from './process.ts';
import { call, finish, say, script, timesAsked, use, type Answer } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, resumeOnce, runOnce, type Scenario, type World } from './world.ts';
import { deadlyTool, expectGivenUp } from './deadly-tool.ts';

const DONE = { status: 'completed', output: 'done' };

export function recovery(it: Scenario): void {
  describe('recovery', () => {
    it.leased('RECV-01 serves at once while it recovers a session that hangs', async (world) => {
      const stuck = barrier();
      const child = helper('child', [serverTool('hang', () => stuck.pass())]);
      const root = agent('root', [subAgent(child)]);
      const other = agent('other', []);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('hang'), finish('late')],
        other: [say('hello')],
      });
      const first = world.process({ model, agents: [root, other] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await stuck.reached;
      first.kill();
      await world.clock.skip(LEASE_MS + 1);
      const second = world.process({ model, agents: [root, other] });
      await second.executor.recover();
      expect(await runOnce(second, other, 'o')).toEqual({ status: 'completed', output: 'hello' });
      expect(await world.session('s')).toMatchObject({ status: 'running', recoveries: 1 });
    });

    it.leased(
      'RECV-02 writes each outcome when it is known and does not repeat it',
      async (world) => {
        const { second, model } = await deadSessions(world, 5);
        expect(await second.executor.sweep()).toMatchObject({ recovered: 5 });
        await allCompleted(world);
        const asked = model.calls.length;
        expect(await second.executor.sweep()).toMatchObject({ recovered: 0 });
        expect(model.calls.length).toBe(asked);
      },
    );

    cancelledRecovery(it);

    it.leased(
      'RECV-04 recovers once when three ask at the same time, and survives a store that fails',
      async (world) => {
        const { second, root, model } = await deadSessions(world, 3);
        const passes = [
          second.executor.recover(),
          second.executor.recover(),
          second.executor.recover(),
        ];
        expect(passes[1]).toBe(passes[0]);
        await Promise.all(passes);
        await allCompleted(world);
        expect((await world.sessions()).map((one) => one.recoveries)).toEqual([1, 1, 1]);

        const broken = world.process({ model, agents: [root], before: () => 'fail-before' });
        await expect(broken.executor.recover()).resolves.toBeUndefined();
      },
    );

    it('RECV-05 takes up a tree of three levels with ten dead children at once', async (world) => {
      const held = barrier();
      const together = barrier();
      let work: (toolCallId: string) => Promise<void> = () => held.pass();
      const leaf = helper('leaf', [serverTool('work', (_, { toolCallId }) => work(toolCallId))]);
      const middle = helper('middle', [subAgent(leaf)]);
      const root = agent('root', [subAgent(middle)]);
      const ten = Array.from({ length: 10 }, (_, n) => use('subagent__middle', {}, `middle-${n}`));
      const model = script({
        root: [call(...ten), say('done')],
        middle: [call('subagent__leaf'), finish('middle')],
        leaf: [call('work'), finish('leaf')],
      });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await until('all work', () => timesAsked(model, 'leaf') === 10);
      first.kill();
      // None is done before all are at it again: one after the other they would wait for ever.
      const atWork = new Set<string>();
      work = (toolCallId) => {
        if (atWork.add(toolCallId).size === 10) together.open();
        return together.pass();
      };
      held.open();
      await world.clock.skip(LEASE_MS + 1);
      const second = world.process({ model, agents: [root] });
      await second.executor.recover();
      await allCompleted(world);
      expect(await world.sessions()).toHaveLength(21);
      expect(timesAsked(model, 'root')).toBe(2);
      expect(timesAsked(model, 'middle')).toBe(20);
    });

    it.leased(
      'RECV-07 takes dead sessions only, once, when two processes start together',
      async (world) => {
        const held = barrier();
        const waiting = agent('living', [serverTool('slow', () => held.pass())]);
        const alive = world.process({
          agents: [waiting],
          model: script({ living: [call('slow'), say('done')] }),
        });
        const living = runOnce(alive, waiting, 'living');
        await held.reached;
        const { second, root, model } = await deadSessions(world, 3);
        await until(
          'the living one has renewed its lease',
          async () => ((await world.session('living')).leaseUntil ?? 0) > world.clock.now(),
        );
        const third = world.process({ model, agents: [root, waiting] });
        const swept = await Promise.all([second.executor.sweep(), third.executor.sweep()]);
        expect(swept.reduce((sum, one) => sum + one.recovered, 0)).toBe(3);
        await until('the dead ones are done', async () =>
          (await world.sessions()).every(
            (one) => one.sessionId === 'living' || one.status === 'completed',
          ),
        );
        held.open();
        expect(await living).toEqual(DONE);
        expect(await world.session('living')).toMatchObject({ recoveries: 0 });
        expect(model.calls).toHaveLength(9);
      },
    );

    it.leased(
      'RECV-08 gives up on a session that dies at every recovery, and retry starts it anew',
      async (world) => {
        const deadly = deadlyTool();
        const root = agent('root', [serverTool('deadly', deadly.execute)]);
        const model = script({ root: [call('deadly'), say('done')] });
        const running = { model, agents: [root], limits: { maxRecoveries: 2 } };
        await deadly.kill({ world, running, root, lives: 3 });
        const last = await expectGivenUp(world, running);
        const retried = await last.executor.retry('s');
        expect(await retried.result()).toEqual(DONE);
      },
    );

    it.leased('RECV-08 waits longer after each death, and lets others go first', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('hang', () => held.pass())]);
      const model = script({ root: [call('hang'), say('done')] });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      first.kill();
      await world.clock.skip(LEASE_MS + 1);
      const second = world.process({ model, agents: [root] });
      expect(await second.executor.sweep()).toMatchObject({ recovered: 1 });
      second.kill();
      await world.clock.skip(LEASE_MS + 1);
      const third = world.process({ model, agents: [root] });
      expect(await third.executor.sweep(), 'not yet').toMatchObject({ recovered: 0 });
      await world.clock.skip(60_000);
      expect(await third.executor.sweep()).toMatchObject({ recovered: 1 });
    });

    it.leased(
      'RECV-08 takes up what is dead behind a page of runs it does not know',
      async (world) => {
        const held = barrier();
        const hang = serverTool('hang', () => held.pass());
        const [strange, root] = [agent('strange', [hang]), agent('root', [hang])];
        const model = script({ strange: [call('hang')], root: [call('hang'), say('done')] });
        const first = world.process({ model, agents: [strange, root] });
        for (let n = 0; n < 101; n += 1)
          await first.executor.execute(strange, 'go', { sessionId: `strange-${n}` });
        await world.clock.skip(1);
        await first.executor.execute(root, 'go', { sessionId: 's' });
        await until('all hang', () => model.calls.length === 102);
        first.kill();
        held.open();
        await world.clock.skip(LEASE_MS + 1);
        const second = world.process({ model, agents: [root] });
        await second.executor.recover();
        await until('it is done', async () => (await world.session('s')).status === 'completed');
        const told = second.events.filter(({ name }) => name === 'recovery.agent_unknown');
        expect(told, 'each once').toHaveLength(101);
      },
    );

    it.leased('takes up a dead run while the hook of a reminder hangs', async (world) => {
      const reminding = barrier();
      const asking = agent('asking', [clientTool('pick', { clientToolTimeoutMs: 2 * LEASE_MS })], {
        hooks: { onCallReminder: () => reminding.pass() },
      });
      const model = script({ asking: [call('pick')] });
      await runOnce(world.process({ model, agents: [asking] }), asking, 'waits');
      await world.clock.skip(LEASE_MS - 5_000);
      const { second } = await deadSessions(world, 1, asking);
      const swept = second.executor.sweep();
      await until('it is done', async () => (await world.session('s0')).status === 'completed');
      reminding.open();
      expect(await swept).toMatchObject({ recovered: 1, reminded: 1 });
    });

    it.leased(
      'RECV-09 leaves sessions resumable on shutdown, at once and without a recovery counted',
      async (world) => {
        const held = barrier();
        const ran: string[] = [];
        const slow = serverTool('slow', async () => {
          ran.push('slow');
          await held.pass();
          return 'slow';
        });
        const root = agent('root', [slow]);
        const model = script({ root: [call('slow'), say('done')] });
        const first = world.process({ model, agents: [root] });
        const handle = await first.executor.execute(root, 'go', { sessionId: 's' });
        await held.reached;
        const ended = first.executor.shutdown({ graceMs: 60_000 });
        held.open();
        await ended;
        await expect(handle.result()).rejects.toMatchObject({ code: 'run_handed_over' });
        const second = world.process({ model, agents: [root] });
        expect(await resumeOnce(second, 's')).toEqual(DONE);
        expect(ran).toEqual(['slow']);
        expect(await world.session('s')).toMatchObject({ recoveries: 0 });
        expect(await world.runs('s')).toHaveLength(1);
      },
    );

    it.leased('RECV-09 begins nothing in a process that was shut down', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      let asked = 0;
      const pick: Answer = () => {
        asked += 1;
        return call('pick');
      };
      const { executor } = world.process({ model: script({ root: [pick, pick] }), agents: [root] });
      await (await executor.execute(root, 'go', { sessionId: 's' })).result();
      await executor.shutdown({ graceMs: 0 });
      const before = await world.session('s');
      const refused = { code: 'run_handed_over', statusCode: 503 };
      const late: readonly (() => Promise<unknown>)[] = [
        () => executor.execute(root, 'go'),
        () => executor.execute(root, 'go', { sessionId: 'new' }),
        () => executor.execute(root, 'more', { sessionId: 's' }),
        () => executor.resume('s'),
        () => executor.retry('s'),
      ];
      for (const begin of late) await expect(begin()).rejects.toMatchObject(refused);
      expect(await world.sessions()).toEqual([before]);
      expect(asked).toBe(1);
    });

    it.leased(
      'RECV-09 withdraws the text of a step that was given back unrecorded',
      async (world) => {
        const held = barrier();
        const slow = serverTool('slow', () => held.pass());
        const root = agent('root', [slow], { durability: 'step' });
        const looks = { type: 'tool_calls', toolCalls: [use('slow')], content: 'I look' } as const;
        const model = script({ root: [looks, say('done')] });
        const first = world.process({ model, agents: [root] });
        await first.executor.execute(root, 'go', { sessionId: 's' });
        await held.reached;
        const ended = first.executor.shutdown({ graceMs: 60_000 });
        held.open();
        await ended;
        const isInMemory = (await world.step('s')).journal.length === 0;
        expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
        const chunks = (await world.chunks('s')).map(({ chunk }) => chunk);
        const since = chunks.findLastIndex(({ type }) => type === 'step_discarded') + 1;
        expect(since > 0).toBe(isInMemory);
        const said = chunks
          .slice(since)
          .flatMap((chunk) => (chunk.type === 'text_delta' ? [chunk.delta] : []));
        expect(said.join('')).toBe('I lookdone');
      },
    );

    it.leased('RECV-09 cuts what does not end within the grace time', async (world) => {
      const held = barrier();
      const child = helper('child', [serverTool('slow', () => held.pass())]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('slow'), finish('here')],
      });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      const ended = first.executor.shutdown({ graceMs: 1_000 });
      await world.clock.skip(1_001);
      await ended;
      held.open();
      const second = world.process({ model, agents: [root] });
      expect(await second.executor.sweep()).toMatchObject({ recovered: 1 });
      await allCompleted(world);
      expect((await world.sessions()).map((one) => one.recoveries)).toEqual([0, 0]);
    });

    it.leased(
      'RECV-10 finds dead work from the sessions alone, and leaves waiting ones in peace',
      async (world) => {
        const asking = agent('asking', [clientTool('pick')]);
        const { second } = await deadSessions(world, 2, asking);
        const model = script({ asking: [call('pick'), say('done')] });
        const process = world.process({ model, agents: [asking] });
        await runOnce(process, asking, 'waits');
        await world.clock.skip(60_000);
        await second.executor.sweep();
        await until('the dead ones are done', async () =>
          (await world.sessions()).every(
            (one) => one.sessionId === 'waits' || one.status === 'completed',
          ),
        );
        expect(await world.session('waits')).toMatchObject({
          status: 'suspended_client_tool',
          recoveries: 0,
        });
        await answer(process, 'waits', 'pick', 'red');
        expect(await resumeOnce(process, 'waits')).toEqual(DONE);
      },
    );
  });
}

/** Sessions whose process died in their second step, and a process that knows their agent. */
async function deadSessions(
  world: World,
  count: number,
  ...others: Parameters<World['process']>[0]['agents']
): Promise<{
  second: ReturnType<World['process']>;
  root: ReturnType<typeof agent>;
  model: ReturnType<typeof script>;
}> {
  const held = barrier();
  const root = agent('root', [
    serverTool('look', () => 'seen'),
    serverTool('slow', () => held.pass()),
  ]);
  const model = script({ root: [call('look'), call('slow'), say('done')] });
  const first = world.process({ model, agents: [root] });
  for (let n = 0; n < count; n += 1)
    await first.executor.execute(root, 'go', { sessionId: `s${n}` });
  await until('all are in their second step', async () => {
    const sessions = await Promise.all(
      Array.from({ length: count }, (_, n) => world.step(`s${n}`)),
    );
    return sessions.every((one) => one.session.stepId === 2 && one.journal.length > 0);
  });
  await held.reached;
  first.kill();
  held.open();
  await world.clock.skip(LEASE_MS + 1);
  return { second: world.process({ model, agents: [root, ...others] }), root, model };
}

async function allCompleted(world: World): Promise<void> {
  await until('all are completed', async () =>
    (await world.sessions()).every((one) => one.status === 'completed'),
  );
}
