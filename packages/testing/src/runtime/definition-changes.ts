// If this fails: a deployment between a question and its answer leaves the session stuck or breaks its history.
import { AgentNotFoundError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import {
  agent,
  clientTool,
  fields,
  gatedTool,
  helper,
  serverTool,
  state,
  subAgent,
} from './definitions.ts';
import { call, finish, say, script, timesAsked, use } from './script.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function definitionChanges(it: Scenario): void {
  describe('a definition that changes while people are asked', () => {
    it('gives an approved tool that is gone one error, and a client answer its place', async (world) => {
      const before = agent('root', [
        gatedTool('send', () => 'sent'),
        clientTool('pick', { outputSchema: fields({ color: 'string' }) }),
      ]);
      const after = agent('root', [serverTool('other', () => 'other')]);
      const model = script({ root: [call('send', 'pick'), say('done')] });
      await runOnce(world.process({ model, agents: [before] }), before, 's');
      const process = world.process({ model, agents: [after] });
      await decide(process, 's', 'send', true);
      expect(await answer(process, 's', 'pick', 'anything')).toEqual({ status: 'accepted' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      const [sent, picked] = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(sent).toMatchObject({ errorDetail: { code: 'tool_not_found' } });
      expect(picked).toMatchObject({ content: 'anything' });
    });

    it('fails the call of a sub-agent that is gone, and stops the child', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const before = agent('root', [subAgent(child)]);
      const after = agent('root', []);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('late')],
      });
      const [pick] = waiting(
        await runOnce(world.process({ model, agents: [before] }), before, 's'),
      );
      const process = world.process({ model, agents: [after] });
      expect(await answer(process, 's', pick as string, 'red')).toEqual({ status: 'accepted' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      const [, , result] = await world.messages('s');
      expect(result).toMatchObject({ errorDetail: { code: 'subagent_dispatch_failed' } });
      // An attempt whose reply was lost logs it, too.
      expect(process.log).toContain('subagent.dispatch_failed');
      expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'failed', closed: true });
      expect(timesAsked(model, 'child')).toBe(1);
    });

    it('leaves a session of an unknown agent as it is', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const stranger = world.process({ model, agents: [] });
      const before = await world.session('s');
      await expect(stranger.executor.resume('s')).rejects.toThrow(AgentNotFoundError);
      expect(await world.session('s')).toEqual(before);
      expect(await answer(stranger, 's', 'pick', 'red')).toEqual({ status: 'accepted' });
      const handle = await stranger.executor.resume(root, 's');
      expect(await handle.result()).toEqual(DONE);
    });

    it('gives fields that are new in the state their defaults', async (world) => {
      const before = agent('root', [clientTool('pick')], { stateSchema: state({ old: 1 }) });
      const after = agent(
        'root',
        [clientTool('pick'), serverTool('read', (_, ctx) => ctx.getState())],
        {
          stateSchema: state({ old: 0, fresh: 'yes' }),
        },
      );
      const model = script({ root: [call('pick'), call('read'), say('done')] });
      await runOnce(world.process({ model, agents: [before] }), before, 's');
      const process = world.process({ model, agents: [after] });
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['red', '{"old":1,"fresh":"yes"}']);
    });

    it('runs an approved tool with its new code and the input that was approved', async (world) => {
      const model = script({ root: [call(use('send', { to: 'bob' })), say('done')] });
      const before = agent('root', [gatedTool('send', () => 'old')]);
      const after = agent('root', [gatedTool('send', ({ to }) => `new ${to as string}`)]);
      await runOnce(world.process({ model, agents: [before] }), before, 's');
      const process = world.process({ model, agents: [after] });
      await decide(process, 's', 'send', true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['new bob']);
    });
  });
}
