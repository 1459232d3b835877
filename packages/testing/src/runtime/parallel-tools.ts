// If this fails: what tools do side by side depends on who is quicker, a finished tool runs again, or a person is asked
// too late.
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
import { call, finish, say, script, timesAsked, use } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

interface Shared {
  list: string[];
  owner: string;
}

export function parallelTools(it: Scenario): void {
  describe('parallel tools', () => {
    const orders = [
      ['a', 'b', 'c'],
      ['c', 'a', 'b'],
      ['b', 'c', 'a'],
    ];
    for (const order of orders) {
      it(`ATOM-06 merges by call order when they finish as ${order.join(', ')}`, async (world) => {
        const held = new Map(order.map((name) => [name, barrier()]));
        const write = serverTool('write', async ({ name }, ctx) => {
          await held.get(name as string)?.pass();
          ctx.updateState<Shared>((draft) => {
            draft.list.push(name as string);
            if (name !== 'b') draft.owner = name as string;
          });
          return name;
        });
        const root = agent('root', [write], {
          stateSchema: state({ list: ['first'], owner: 'nobody' }),
        });
        const calls = ['a', 'b', 'c'].map((name) => use('write', { name }, name));
        const model = script({ root: [call(...calls), say('done')] });
        const process = world.process({ model, agents: [root] });
        const ended = runOnce(process, root, 's');
        for (const name of order) {
          await held.get(name)?.reached;
          held.get(name)?.open();
          await until(`${name} has ended`, async () =>
            (await world.chunksOf('s', 'tool_end')).some((chunk) => chunk.toolCallId === name),
          );
        }
        expect(await ended).toEqual(DONE);
        expect(await world.results('s')).toEqual(['a', 'b', 'c']);
        expect((await world.session('s')).customState).toEqual({
          list: ['first', 'a', 'b', 'c'],
          owner: 'c',
        });
      });
    }

    it('PAR-01 asks people before a slow sibling is done and never runs it again', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const slow = serverTool('slow', async () => {
        ran.push('slow');
        await held.pass();
        return 'slow result';
      });
      const send = gatedTool('send', () => {
        ran.push('send');
        return 'sent';
      });
      const root = agent('root', [slow, send, clientTool('pick')]);
      const model = script({ root: [call('slow', 'send', 'pick'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await held.reached;
      await until('both are asked for', async () => {
        const asked = await world.chunksOf('s', 'tool_approval_request');
        const started = await world.chunksOf('s', 'tool_start');
        return asked.length === 1 && started.some((chunk) => chunk.execute === 'client');
      });
      expect(ran).toEqual(['slow']);
      held.open();
      expect([...waiting(await ended)].toSorted()).toEqual(['pick', 'send']);
      const ends = await world.chunksOf('s', 'tool_end');
      expect(ends.map((chunk) => [chunk.toolCallId, chunk.result])).toEqual([
        ['slow', 'slow result'],
      ]);
      expect(await world.results('s'), 'appended together').toEqual([]);

      await decide(process, 's', 'send', true);
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['slow result', 'sent', 'red']);
      expect(ran).toEqual(['slow', 'send']);
    });

    it('PAR-03 does not finish over an open call or a running sub-agent', async (world) => {
      const child = helper('child');
      const report = serverTool('report', () => 'reported', { finishWith: true });
      const root = agent('root', [report, clientTool('pick'), subAgent(child)]);
      const model = script({
        root: [call('report', 'pick', 'subagent__child')],
        child: [finish('here')],
      });
      const process = world.process({ model, agents: [root] });
      expect(waiting(await runOnce(process, root, 's'))).toEqual(['pick']);
      expect(timesAsked(model, 'child')).toBe(1);
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual({ status: 'completed', output: 'reported' });
      expect(await world.results('s')).toEqual(['reported', 'red', '{"said":"here"}']);
    });

    it('PAR-03 finishes after an approved sibling, with the state that one made', async (world) => {
      const send = gatedTool('send', (_, ctx) => {
        ctx.updateState<Shared>((draft) => {
          draft.owner = 'send';
        });
        return 'sent';
      });
      const report = serverTool('report', (_, ctx) => ctx.getState<Shared>().owner, {
        finishWith: true,
      });
      const root = agent('root', [report, send], { stateSchema: state({ list: [], owner: '' }) });
      const process = world.process({
        model: script({ root: [call('report', 'send')] }),
        agents: [root],
      });
      expect(waiting(await runOnce(process, root, 's'))).toEqual(['send']);
      await decide(process, 's', 'send', true);
      expect(await resumeOnce(process, 's')).toEqual({ status: 'completed', output: 'send' });
    });

    it('PAR-04 keeps what was done when aborted, and drops what comes later', async (world) => {
      const held = [barrier(), barrier()] as const;
      const tools = [
        serverTool('one', () => 1),
        serverTool('stubborn', async () => {
          await held[0].pass();
          return 'late';
        }),
        serverTool('two', () => 2),
        serverTool('failing', async () => {
          await held[1].pass();
          throw new Error('late');
        }),
        serverTool('three', () => 3),
      ];
      const root = agent('root', tools);
      const model = script({ root: [call(...tools.map((tool) => tool.name)), say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await until(
        'three are done',
        async () => (await world.chunksOf('s', 'tool_end')).length === 3,
      );
      expect(await process.executor.abort('s')).toEqual({ status: 'aborted' });
      expect(await ended).toMatchObject({ status: 'failed', error: { code: 'run_aborted' } });
      for (const one of held) one.open();
      await world.clock.skip(50);
      const results = await world.results('s');
      expect([results[0], results[2], results[4]]).toEqual(['1', '2', '3']);
      const cut = (await world.messages('s')).filter((one) => one.role === 'tool' && !one.success);
      expect(cut).toMatchObject([
        { toolName: 'stubborn', errorDetail: { code: 'aborted' } },
        { toolName: 'failing', errorDetail: { code: 'aborted' } },
      ]);
    });
  });
}
