// If this fails: a session runs with the agent of another one that has the same name, and what one of them has to ask for the
// other does unasked; or a sub-agent is not found although its root is registered.
import { isRoot } from '@helix-agents/core/store';
import {
  AgentAlreadyRunningError,
  AgentNotFoundError,
  AgentRegistry,
  DefinitionError,
  InvalidResultError,
  type AgentConfig,
  type AgentRegistryLike,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import {
  agent,
  clientTool,
  fields,
  gatedTool,
  helper,
  serverTool,
  subAgent,
} from './definitions.ts';
import { LEASE_MS } from './process.ts';
import { onFirst, closesStep } from './plan-kinds.ts';
import { call, finish, say, script } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const WAITS = { status: 'suspended_client_tool' };

export function whoseAgent(it: Scenario): void {
  describe('agents of one name', () => {
    const askThenDelete = { root: [call('wait'), call('delete'), say('done')] };

    it('stay apart: each session runs with the one it was begun with', async (world) => {
      const ran: string[] = [];
      const held = barrier();
      const wait = serverTool('wait', () => held.pass());
      const strict = agent('root', [wait, gatedTool('delete', () => ran.push('strict'))]);
      const free = agent('root', [wait, serverTool('delete', () => ran.push('free'))]);
      const process = world.process({ model: script(askThenDelete), agents: [strict] });
      const first = await process.executor.execute(strict, 'go', { sessionId: 'strict' });
      const second = await process.executor.execute(free, 'go', { sessionId: 'free' });
      held.open();
      expect(await first.result()).toMatchObject(WAITS);
      expect(await second.result()).toEqual(DONE);
      expect(ran).toEqual(['free']);
      await decide(process, 'strict', 'delete', true);
      expect(await (await process.executor.resume('strict')).result()).toEqual(DONE);
      expect(ran).toEqual(['free', 'strict']);
    });

    it('do not take a run over that another one was refused for', async (world) => {
      const ran: string[] = [];
      const held = barrier();
      const wait = serverTool('wait', () => held.pass());
      const strict = agent('root', [wait, gatedTool('delete', () => ran.push('strict'))]);
      const free = agent('root', [wait, serverTool('delete', () => ran.push('free'))]);
      const process = world.process({ model: script(askThenDelete), agents: [] });
      const { executor } = process;
      const handle = await executor.execute(strict, 'go', { sessionId: 's' });
      await held.reached;
      for (const refused of [
        () => executor.resume(free, 's'),
        () => executor.retry(free, 's'),
        () => executor.execute(free, 'go', { sessionId: 's' }),
      ]) {
        await expect(refused()).rejects.toThrow(AgentAlreadyRunningError);
      }
      await executor.canResume(free, 's');
      await executor.getHandle(free, 's');
      held.open();
      expect(await handle.result()).toMatchObject(WAITS);
      expect(ran).toEqual([]);
    });

    it('are made by their factory for each session, also where one was handed in before', async (world) => {
      const ran: string[] = [];
      const made = (user = 'nobody'): AgentConfig =>
        agent('root', [gatedTool('delete', () => ran.push(`tools of ${user}`))]);
      const registry = new AgentRegistry();
      const madeFor = new Set<string>();
      registry.registerFactory('root', ({ userId, runId }) => {
        madeFor.add(runId);
        return made(userId);
      });
      const model = script({ root: [call('delete'), say('done')] });
      const process = world.process({ model, agents: [], registry });
      for (const userId of ['ann', 'bob', 'cid']) {
        const options = { sessionId: userId, userId };
        const handle = await process.executor.execute(made(userId), 'go', options);
        expect(await handle.result()).toMatchObject(WAITS);
        await decide(process, userId, 'delete', true);
      }
      for (const userId of ['ann', 'bob'])
        expect(await (await process.executor.resume(userId)).result()).toEqual(DONE);
      expect(ran).toEqual(['tools of ann', 'tools of bob']);
      const message = { mode: 'with_message', message: 'Leave it.' } as const;
      const supersede = { ...message, onMessageWhileSuspended: 'supersede' } as const;
      const handle = await process.executor.resume('cid', supersede);
      expect(await handle.result()).toEqual(DONE);
      expect(madeFor, 'for the run that goes on with the message').toContain(handle.runId);
    });

    it('are not guessed: without a registry the agent has to be handed in', async (world) => {
      const ran: string[] = [];
      const strict = agent('root', [gatedTool('delete', () => ran.push('strict'))]);
      const mild = agent('root', [gatedTool('delete', () => ran.push('mild'))]);
      const model = script({ root: [call('delete'), say('done')] });
      const process = world.process({ model, agents: [] });
      const { executor } = process;
      await runOnce(process, strict, 'a');
      await decide(process, 'a', 'delete', true);
      expect(await executor.canResume('a'), 'one of that name').toMatchObject({ canResume: true });
      const handle = await executor.execute(mild, 'go', { sessionId: 'b' });
      await handle.result();
      await decide(process, 'b', 'delete', true);
      const before = await world.session('a');
      const refused = executor.resume('a');
      await expect(refused).rejects.toThrow(AgentNotFoundError);
      await expect(refused).rejects.toThrow('Hand the agent to the call');
      expect(await executor.canResume('a')).toMatchObject({
        canResume: false,
        reason: expect.stringContaining('Hand the agent to the call'),
      });
      expect(await world.session('a')).toEqual(before);
      expect(await (await executor.resume(strict, 'a')).result()).toEqual(DONE);
      expect(await (await handle.resume()).result(), 'a handle knows its agent').toEqual(DONE);
      expect(ran).toEqual(['strict', 'mild']);
    });

    it('are remembered while there is one', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      const process = world.process({ model, agents: [] });
      await runOnce(process, root, 's');
      await answer(process, 's', 'pick', 'red');
      expect(await (await process.executor.resume('s')).result()).toEqual(DONE);
    });

    it('are refused in one tree, where nobody could tell them apart', async (world) => {
      const [one, other] = [helper('child', [clientTool('pick')]), helper('child')];
      const middle = helper('middle', [subAgent(other)]);
      // Not checked by `defineAgent`.
      const root: AgentConfig = { ...agent('root', []), tools: [subAgent(one), subAgent(middle)] };
      const process = world.process({ model: script({}), agents: [] });
      await expect(process.executor.execute(root, 'go')).rejects.toThrow(DefinitionError);
      expect(await world.sessions()).toEqual([]);
    });
  });

  describe('a sub-agent', () => {
    const pick = clientTool('pick', { outputSchema: fields({ color: 'string' }) });
    const root = agent('root', [subAgent(helper('child', [pick]))]);
    const model = script({
      root: [call('subagent__child'), say('done')],
      child: [call('pick'), finish('picked')],
    });
    const factories = new AgentRegistry();
    factories.registerFactory('root', () => root);
    const registries: readonly (readonly [string, AgentRegistryLike])[] = [
      ['a function', (type) => (type === 'root' ? root : undefined)],
      ['a factory', factories],
    ];

    for (const [what, registry] of registries) {
      it(`is found through its root after a restart, where that is known by ${what}`, async (world) => {
        const [id = ''] = waiting(await runOnce(world.process({ model, agents: [] }), root, 's'));
        const process = world.process({ model, agents: [], registry });
        await expect(answer(process, 's', id, 'red')).rejects.toThrow(InvalidResultError);
        expect(await answer(process, 's', id, { color: 'red' })).toEqual({ status: 'accepted' });
        expect(await resumeOnce(process, 's')).toEqual(DONE);
        expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'completed' });
        expect(process.log).not.toContain('client_tool.unvalidated');
      });
    }

    it('is found through its root by who takes over', async (world) => {
      const work = agent('root', [subAgent(helper('child', [serverTool('work', () => 'worked')]))]);
      const busy = script({
        root: [call('subagent__child'), say('done')],
        child: [call('work'), finish('here')],
      });
      const byType = (type: string): AgentConfig | undefined =>
        type === 'root' ? work : undefined;
      const first = world.process({
        model: busy,
        agents: [],
        registry: byType,
        after: onFirst(closesStep, () => first.kill()),
      });
      await first.executor.execute(work, 'go', { sessionId: 's' });
      await until('the child has closed a step', async () => {
        const child = (await world.sessions()).find((one) => !isRoot(one));
        return (child?.stepId ?? 0) > 1;
      });
      await world.clock.skip(LEASE_MS + 1);
      const second = world.process({ model: busy, agents: [], registry: byType });
      await second.executor.recover();
      await until('it is done', async () => (await world.session('s')).status === 'completed');
      expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'completed' });
    });

    it('is the one of its own root, whatever others are called', async (world) => {
      const ran: string[] = [];
      const strict = helper('child', [gatedTool('delete', () => ran.push('strict'))]);
      const free = helper('child', [serverTool('delete', () => ran.push('free'))]);
      const roots = [agent('free', [subAgent(free)]), agent('strict', [subAgent(strict)])];
      const calls = [call('subagent__child'), say('done')];
      const deleting = script({
        free: calls,
        strict: calls,
        child: [call('delete'), finish('deleted')],
      });
      const asking = world.process({ model: deleting, agents: roots });
      expect(await runOnce(asking, roots[0] as AgentConfig, 'free')).toEqual(DONE);
      const [id = ''] = waiting(await runOnce(asking, roots[1] as AgentConfig, 'strict'));
      expect(ran).toEqual(['free']);
      const process = world.process({ model: deleting, agents: roots });
      await decide(process, 'strict', id, true);
      expect(await resumeOnce(process, 'strict')).toEqual(DONE);
      expect(ran).toEqual(['free', 'strict']);
    });
  });
}
