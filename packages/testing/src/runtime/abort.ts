// If this fails: aborted work goes on somewhere, a person is asked on behalf of a dead session, or an answer that was
// accepted is recorded as aborted.
import { isRoot } from '@helix-agents/core/store';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, serverTool, subAgent } from './definitions.ts';
import { createsChild, closesStep, onFirst, opensCalls, records } from './plan-kinds.ts';
import { call, finish, say, script, timesAsked, use } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, decide, patiently, runOnce, type Scenario, waiting } from './world.ts';

const ABORTED = { status: 'failed', error: { code: 'run_aborted' } };
const CANCELLED = { status: 'unknown_tool_call', reason: 'cancelled' };

export function abort(it: Scenario): void {
  describe('abort', () => {
    it.race(
      'ends a tree from another process: every session, every call, one result each',
      async (world) => {
        const held = barrier();
        const grandchild = helper('grandchild', [clientTool('pick')]);
        const child = helper('child', [
          subAgent(grandchild),
          serverTool('slow', () => held.pass()),
        ]);
        const root = agent('root', [subAgent(child), clientTool('pick')]);
        const model = script({
          root: [call('subagent__child', 'pick'), say('done')],
          child: [call('subagent__grandchild', 'slow'), finish('late')],
          grandchild: [call('pick'), finish('late')],
        });
        const a = world.process({ model, agents: [root] });
        const b = world.process({ model, agents: [root] });
        const ended = runOnce(a, root, 's');
        await held.reached;
        await until('both ask', async () => (await world.calls('s')).length === 2);
        expect(await b.executor.abort('s', 'enough')).toEqual({ status: 'aborted' });
        expect(await ended).toMatchObject({ ...ABORTED, error: { message: 'enough' } });
        held.open();
        const sessions = await world.sessions();
        expect(sessions.map((one) => one.status)).toEqual(['failed', 'failed', 'failed']);
        for (const row of await world.calls('s')) {
          expect(row).toMatchObject({ state: 'settled', outcome: 'cancelled' });
          expect(await answer(b, 's', row.toolCallId, 1)).toEqual(CANCELLED);
        }
        expect(await b.executor.abort('s')).toEqual({ status: 'too_late' });
        expect((await world.streams.getStreamInfo('s'))?.status).toBe('failed');
      },
    );

    it('closes what it can when the database of one child is down, and the rest later', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call(use('subagent__child', {}, 'one'), use('subagent__child', {}, 'two'))],
        child: [call('pick')],
      });
      const process = (...down: string[]): ReturnType<typeof world.process> =>
        world.process({
          model,
          agents: [root],
          before: (_method, plan) =>
            plan?.sessions?.length &&
            plan.sessions.every(({ sessionId }) => down.includes(sessionId))
              ? 'fail-before'
              : 'pass',
        });
      const ids = ['a', 'b'].flatMap((id) => [`${id}-sub-1-0`, `${id}-sub-1-1`]);
      const closed = async (): Promise<string[]> =>
        (await world.sessions()).flatMap((one) => (one.closed ? [one.sessionId] : [])).toSorted();
      for (const sessionId of ['a', 'b']) {
        await runOnce(process(), root, sessionId);
        await process(...ids).executor.abort(sessionId);
      }
      await process('a-sub-1-0').executor.sweep();
      expect(await closed()).toEqual(expect.arrayContaining(ids.slice(1)));
      await process().executor.sweep();
      expect(await closed()).toEqual(ids);
    });

    it('closes a suspended session, and a retry begins with the model', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('without')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await process.executor.abort('s');
      expect(await answer(process, 's', 'pick', 'red')).toEqual(CANCELLED);
      const retried = await process.executor.retry('s');
      expect(await retried.result()).toEqual({ status: 'completed', output: 'without' });
      expect((await world.results('s'))[0]).toContain('aborted');
    });

    it('cuts a model call, of which nothing is left', async (world) => {
      const held = barrier();
      const signals: AbortSignal[] = [];
      const root = agent('root', []);
      const model = script({
        root: [
          async ({ abortSignal }) => {
            signals.push(abortSignal);
            await held.pass();
            return say('too late');
          },
        ],
      });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      const ended = runOnce(a, root, 's');
      await held.reached;
      await b.executor.abort('s');
      expect(await ended).toMatchObject(ABORTED);
      expect(signals.map((signal) => signal.aborted)).toEqual([true]);
      held.open();
      expect(await world.messages('s')).toHaveLength(1);
    });

    it.race('INTR-05 settles a race of abort and answer one way or the other', async (world) => {
      for (let round = 0; round < 8; round += 1) {
        const root = agent('root', [clientTool('pick')]);
        const model = script({ root: [call('pick'), say('done')] });
        const a = world.process({ model, agents: [root] });
        const b = world.process({ model, agents: [root] });
        const sessionId = `s${round}`;
        await runOnce(a, root, sessionId);
        const [submitted] = await Promise.all([
          answer(a, sessionId, 'pick', 'red'),
          b.executor.abort(sessionId),
        ]);
        const [result] = await world.results(sessionId);
        if (submitted.status === 'accepted') expect(result).toBe('red');
        else expect([submitted, result]).toEqual([CANCELLED, expect.stringContaining('Error')]);
      }
    });

    it('SUB-11 takes in an answer that comes while an abort is being written', async (world) => {
      const root = agent('root', [clientTool('pick'), gatedTool('send', () => 'sent')]);
      const model = script({ root: [call('pick', 'send'), say('done')] });
      const a = world.process({ model, agents: [root] });
      await runOnce(a, root, 's');
      const b = world.process({
        model,
        agents: [root],
        before: onFirst(closesStep, async () => {
          expect(await answer(a, 's', 'pick', 'red')).toEqual({ status: 'accepted' });
          expect(await decide(a, 's', 'send', true)).toEqual({ status: 'accepted' });
        }),
      });
      expect(await b.executor.abort('s')).toEqual({ status: 'aborted' });
      const [picked, sent] = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(picked).toMatchObject({ content: 'red', success: true });
      expect(sent).toMatchObject({ errorDetail: { code: 'tool_not_executed' } });
    });

    it('tells that a started `once` tool may have happened', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('pay', () => held.pass(), { execution: 'once' })]);
      const model = script({ root: [call('pay'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await held.reached;
      await process.executor.abort('s');
      expect(await ended).toMatchObject(ABORTED);
      held.open();
      const [, , result] = await world.messages('s');
      expect(result).toMatchObject({ errorDetail: { code: 'tool_outcome_unknown' } });
    });

    it('CHLD-11 lets no late parent create a child of an aborted session', async (world) => {
      const held = barrier();
      const child = helper('child');
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [finish('late')],
      });
      const a = world.process({
        model,
        agents: [root],
        before: onFirst(createsChild, () => held.pass()),
      });
      const b = world.process({ model, agents: [root] });
      const ended = runOnce(a, root, 's');
      await held.reached;
      expect(await b.executor.abort('s')).toEqual({ status: 'aborted' });
      held.open();
      expect(await ended).toMatchObject(ABORTED);
      expect(timesAsked(model, 'child')).toBe(0);
      const below = (await world.sessions()).filter((one) => !isRoot(one));
      expect(below.filter((one) => !one.closed)).toEqual([]);
    });

    it('CHLD-12 leaves no call open that a child registers while its root is aborted', async (world) => {
      const held = barrier();
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const answers = {
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('late')],
      };
      const model = script(answers);
      const a = world.process({
        model,
        agents: [root],
        before: onFirst(opensCalls, () => held.pass()),
      });
      const b = world.process({ model, agents: [root] });
      const ended = runOnce(a, root, 's');
      await held.reached;
      await b.executor.abort('s');
      held.open();
      expect(await ended).toMatchObject(ABORTED);
      expect((await world.calls('s')).filter((row) => row.state !== 'settled')).toEqual([]);
    });

    it('CHLD-12 closes a call that a running child registers before the abort is written', async (world) => {
      const asking = barrier();
      const working = barrier();
      const child = helper('child', [clientTool('pick'), serverTool('slow', () => working.pass())]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [
          async () => {
            await asking.pass();
            return call('pick', 'slow');
          },
          finish('late'),
        ],
      });
      const a = world.process({ model, agents: [root] });
      const ended = runOnce(a, root, 's');
      await asking.reached;
      const b = world.process({
        model,
        agents: [root],
        before: onFirst(closesStep, async () => {
          asking.open();
          await working.reached;
          await until('it is asked', async () => (await world.calls('s')).length === 1);
        }),
      });
      await b.executor.abort('s');
      expect(await ended).toMatchObject(ABORTED);
      working.open();
      expect(await world.calls('s')).toMatchObject([{ state: 'settled', outcome: 'cancelled' }]);
      expect((await world.results('s-sub-1-0'))[0]).toContain('Error');
    });

    it('CHLD-14 carries an accepted answer into the transcript of the child it closes', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('late')],
      });
      const process = world.process({ model, agents: [root] });
      const [pick] = waiting(await runOnce(process, root, 's'));
      expect(await answer(process, 's', pick as string, 'red')).toEqual({ status: 'accepted' });
      await process.executor.abort('s');
      expect(await world.results('s-sub-1-0')).toEqual(['red']);
      expect(await world.calls('s')).toMatchObject([{ state: 'settled', outcome: 'answered' }]);
      expect(await answer(process, 's', pick as string, 'red')).toEqual({
        status: 'already_completed',
      });
    });

    it('CHLD-14 ends a child that fails by itself through its parent, with the answer it had', async (world) => {
      const held = barrier();
      const child = helper('child', [clientTool('pick'), serverTool('work', () => held.pass())]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick', 'work'), finish('late')],
      });
      const childId = 's-sub-1-0';
      // What the child's tool did cannot be stored, ever.
      const lost = records('result', childId);
      const process = world.process({
        model,
        agents: [root],
        before: (_, plan) => (plan && lost(plan) ? 'fail-before' : 'pass'),
      });
      const ended = runOnce(process, root, 's');
      await held.reached;
      await until('it is asked', async () => (await world.calls('s')).length === 1);
      const [row] = await world.calls('s');
      expect(await answer(process, 's', row?.toolCallId as string, 'red')).toEqual({
        status: 'accepted',
      });
      held.open();
      expect(await patiently(world, ended)).toEqual({ status: 'completed', output: 'done' });
      expect((await world.results(childId))[0]).toBe('red');
      expect(await world.session(childId)).toMatchObject({ status: 'failed', closed: true });
      expect((await world.messages('s')).at(2)).toMatchObject({
        errorDetail: { code: 'subagent_failed' },
      });
      expect((await world.calls('s')).map((one) => one.state)).toEqual(['settled']);
    });
  });
}
