// If this fails: work handed to a sub-agent is done twice, lost, or waits for an answer that nobody can give.
import { createSubAgentTool, type Tool } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import {
  agent,
  clientTool,
  gatedTool,
  helper,
  serverTool,
  state,
  subAgent,
} from './definitions.ts';
import { LEASE_MS } from './process.ts';
import { createsChild, onFirst, setsStatus } from './plan-kinds.ts';
import { call, finish, say, script, timesAsked, use, type Answer } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, decide, patiently, resumeOnce, runOnce, type Scenario, waiting } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function children(it: Scenario): void {
  describe('sub-agents', () => {
    it('runs three side by side and hands their outputs back in call order', async (world) => {
      const child = helper('child');
      const root = agent('root', [subAgent(child)]);
      const calls = [1, 2, 3].map((n) => use('subagent__child', { n }, `call-${n}`));
      const answerOf: Answer = ({ messages }) => finish(messages.at(-1)?.content ?? '');
      const model = script({ root: [call(...calls), say('done')], child: [answerOf] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(
        [1, 2, 3].map((n) => JSON.stringify({ said: JSON.stringify({ n }) })),
      );
      expect(await world.chunksOf('s', 'subagent_start')).toHaveLength(3);
      expect(await world.chunksOf('s', 'subagent_end')).toHaveLength(3);
    });

    it('CHLD-01 goes on with the same child when the parent dies right after creating it', async (world) => {
      const child = helper('child', [serverTool('work', () => 'worked')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('work'), finish('here')],
      });
      const a = world.process({
        model,
        agents: [root],
        after: onFirst(createsChild, () => a.kill()),
      });
      await a.executor.execute(root, 'go', { sessionId: 's' });
      await until('there is a child', async () => (await world.sessions()).length === 2);
      await world.clock.skip(LEASE_MS + 1);
      const b = world.process({ model, agents: [root] });
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      expect(await world.sessions()).toHaveLength(2);
      expect(timesAsked(model, 'child')).toBe(2);
    });

    it('CHLD-01 collects a child that had finished when the parent died', async (world) => {
      const ran: string[] = [];
      const child = helper('child', [serverTool('work', () => ran.push('work'))]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('work'), finish('here')],
      });
      const ends = setsStatus('completed', 's-sub-1-0');
      const a = world.process({ model, agents: [root], after: onFirst(ends, () => a.kill()) });
      await a.executor.execute(root, 'go', { sessionId: 's' });
      await until('the child is done', async () =>
        (await world.sessions()).some((one) => one.status === 'completed'),
      );
      await world.clock.skip(LEASE_MS + 1);
      const b = world.process({ model, agents: [root] });
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      expect(ran).toEqual(['work']);
      expect(timesAsked(model, 'child')).toBe(2);
      expect(await world.results('s')).toEqual(['{"said":"here"}']);
      expect(await world.chunksOf('s', 'subagent_end')).toHaveLength(1);
    });

    it('CHLD-02 turns one child that cannot be started into one tool error', async (world) => {
      const child = helper('child');
      const root = agent('root', [subAgent(child)]);
      const calls = [1, 2, 3].map((n) => use('subagent__child', { n }, `call-${n}`));
      const model = script({ root: [call(...calls), say('done')], child: [finish('here')] });
      const process = world.process({
        model,
        agents: [root],
        before: (_, plan) =>
          plan?.insert?.sessions?.some((row) => row.sessionId === 's-sub-1-1' && !row.closed)
            ? 'fail-before'
            : 'pass',
      });
      expect(await patiently(world, runOnce(process, root, 's'))).toEqual(DONE);
      const [first, second, third] = (await world.messages('s')).filter(
        (one) => one.role === 'tool',
      );
      expect([first, third]).toMatchObject([{ success: true }, { success: true }]);
      expect(second).toMatchObject({ errorDetail: { code: 'subagent_dispatch_failed' } });
      expect(await world.chunksOf('s', 'tool_error')).toMatchObject([{ toolCallId: 'call-2' }]);
      const told = process.events.filter(({ name }) => name === 'subagent.dispatch_failed');
      // An attempt whose reply was lost logs it, too.
      expect(told).not.toEqual([]);
      for (const event of told)
        expect(event).toMatchObject({
          level: 'error',
          data: { sessionId: 's', toolCallId: 'call-2' },
        });
    });

    it('gives a child its input as the schema reads it, and keeps the call as the model wrote it', async (world) => {
      const child = helper('child');
      const research = createSubAgentTool(child, state({ depth: 3, topic: 'none' })) as Tool;
      const root = agent('root', [research]);
      const asked = use('subagent__child', { topic: 'bees' }, 'call-1');
      const model = script({ root: [call(asked), say('done')], child: [finish('here')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const [message] = await world.messages('s-sub-1-0');
      expect(message).toMatchObject({ role: 'user', content: '{"depth":3,"topic":"bees"}' });
      expect((await world.messages('s'))[1]).toMatchObject({
        toolCalls: [{ arguments: { topic: 'bees' } }],
      });
    });

    for (const depth of [1, 2, 3]) {
      it(`CHLD-04 asks at the root for a child at depth ${depth}, and exactly that one goes on`, async (world) => {
        const ran: string[] = [];
        const deepest = helper(`child-${depth}`, [
          clientTool('pick'),
          gatedTool('send', () => {
            ran.push('send');
            return 'sent';
          }),
        ]);
        const answers: { [name: string]: Answer[] } = {
          [deepest.name]: [call('pick'), call('send'), finish(deepest.name)],
        };
        let below = deepest;
        for (let level = depth - 1; level >= 1; level -= 1) {
          answers[`child-${level}`] = [call(`subagent__${below.name}`), finish(`child-${level}`)];
          below = helper(`child-${level}`, [subAgent(below)]);
        }
        const root = agent('root', [subAgent(below)]);
        answers['root'] = [call('subagent__child-1'), say('done')];
        const model = script(answers);
        const a = world.process({ model, agents: [root] });
        const first = await runOnce(a, root, 's');
        expect(first.status).toBe('suspended_awaiting_children');
        const [pick] = waiting(first);
        expect((await a.executor.listOpenCalls()).items).toHaveLength(1);
        const asked = (await world.chunksOf('s', 'tool_start')).filter(
          (one) => one.execute === 'client',
        );
        expect(asked.map((one) => one.toolCallId)).toEqual([pick]);
        const b = world.process({ model, agents: [root] });
        expect(await answer(b, 's', pick as string, 'red')).toEqual({ status: 'accepted' });
        const [send] = waiting(await resumeOnce(b, 's'));
        expect(ran).toEqual([]);
        expect(await decide(b, 's', send as string, true)).toEqual({ status: 'accepted' });
        expect(await resumeOnce(b, 's')).toEqual(DONE);
        expect(ran).toEqual(['send']);
        const asks = [...Array(depth).keys()].map((n) => timesAsked(model, `child-${n + 1}`));
        expect(asks).toEqual([...Array<number>(depth - 1).fill(2), 3]);
        expect(await world.sessions()).toHaveLength(depth + 1);
      });
    }

    it('does not run a finished sibling again while another is asked twice', async (world) => {
      const asking = helper('asking', [clientTool('pick')]);
      const working = helper('working', [serverTool('work', () => 'worked')]);
      const root = agent('root', [subAgent(asking), subAgent(working)]);
      const model = script({
        root: [call('subagent__asking', 'subagent__working'), say('done')],
        asking: [call('pick'), call('pick'), finish('picked')],
        working: [call('work'), finish('worked')],
      });
      const process = world.process({ model, agents: [root] });
      let open = waiting(await runOnce(process, root, 's'));
      expect(open).toHaveLength(1);
      await answer(process, 's', open[0] as string, 1);
      open = waiting(await resumeOnce(process, 's'));
      await answer(process, 's', open[0] as string, 2);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(timesAsked(model, 'working')).toBe(2);
      expect(timesAsked(model, 'asking')).toBe(3);
      expect(await world.results('s')).toEqual(['{"said":"picked"}', '{"said":"worked"}']);
    });

    it('reports a child that fails as one tool error', async (world) => {
      const child = helper('child', [serverTool('spin', () => 'again')], { maxSteps: 2 });
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('spin'), call('spin'), call('spin')],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const [, , result] = await world.messages('s');
      expect(result).toMatchObject({ success: false, errorDetail: { code: 'subagent_failed' } });
    });

    it('CHLD-13 gives up on a child that takes too long', async (world) => {
      const held = barrier();
      const child = helper('child', [serverTool('slow', () => held.pass())]);
      const root = agent('root', [subAgent(child, { timeoutMs: 60_000 })]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('slow'), finish('late')],
      });
      const ended = runOnce(world.process({ model, agents: [root] }), root, 's');
      await held.reached;
      await world.clock.skip(60_001);
      expect(await ended).toEqual(DONE);
      held.open();
      expect((await world.messages('s')).at(2)).toMatchObject({
        errorDetail: { code: 'subagent_timeout' },
      });
      expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'failed', closed: true });
      expect(await world.chunksOf('s', 'subagent_end')).toHaveLength(1);
      const counted = await world.usage.getEntries('s', { kinds: ['subagent'] });
      expect(counted).toMatchObject([{ source: { name: 'child' }, data: { success: false } }]);
    });

    it('CHLD-13 does not give up while a person is asked', async (world) => {
      const held = barrier();
      const slow = serverTool('slow', () => held.pass());
      const child = helper('child', [slow, clientTool('pick', { clientToolTimeoutMs: 'never' })]);
      const root = agent('root', [subAgent(child, { timeoutMs: 60_000 })]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('slow', 'pick'), finish('picked')],
      });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await held.reached;
      await until('it is asked', async () => (await world.calls('s')).length === 1);
      await world.clock.skip(60_001);
      held.open();
      const [pick] = waiting(await ended);
      await world.clock.skip(10 * 60_000);
      expect(await answer(process, 's', pick as string, 'red')).toEqual({ status: 'accepted' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['{"said":"picked"}']);
    });
  });
}
