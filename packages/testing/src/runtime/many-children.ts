// If this fails: of several sub-agents that are in different states when something breaks, one is lost or done twice.
import { InvalidRequestError, NotRootSessionError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { LEASE_MS } from './process.ts';
import { call, finish, say, script, timesAsked, use } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';
import { deadlyTool, expectGivenUp } from './deadly-tool.ts';

const DONE = { status: 'completed', output: 'done' };

export function manyChildren(it: Scenario): void {
  describe('several sub-agents', () => {
    it('CHLD-03 goes on with one that ran, one that asks and one that failed', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const running = helper('running', [
        serverTool('first', () => ran.push('first') && 'first'),
        serverTool('slow', () => held.pass()),
      ]);
      const asking = helper('asking', [clientTool('pick')]);
      const failing = helper('failing', [serverTool('spin', () => ran.push('spin') && 'spun')], {
        maxSteps: 1,
      });
      const root = agent('root', [subAgent(running), subAgent(asking), subAgent(failing)]);
      const model = script({
        root: [call('subagent__running', 'subagent__asking', 'subagent__failing'), say('done')],
        running: [call('first'), call('slow'), finish('ran')],
        asking: [call('pick'), finish('asked')],
        failing: [call('spin')],
      });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      await until('one asks and one has failed', async () => {
        const ended = await world.chunksOf('s', 'subagent_end');
        return ended.length === 1 && (await world.calls('s')).length === 1;
      });
      first.kill();
      held.open();
      await world.clock.skip(LEASE_MS + 1);
      const second = world.process({ model, agents: [root] });
      const [pick] = waiting(await resumeOnce(second, 's'));
      await answer(second, 's', pick as string, 'red');
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(ran.toSorted()).toEqual(['first', 'spin']);
      expect(await world.sessions()).toHaveLength(4);
      const results = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(results).toMatchObject([
        { content: '{"said":"ran"}' },
        { content: '{"said":"asked"}' },
        { errorDetail: { code: 'subagent_failed' } },
      ]);
      expect(await world.chunksOf('s', 'subagent_end')).toHaveLength(3);
      expect(timesAsked(model, 'asking')).toBe(2);
    });

    it('CHLD-06 registers the calls of twenty children at once, each with its owner', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const calls = Array.from({ length: 20 }, (_, n) =>
        use('subagent__child', { n }, `call-${n}`),
      );
      const model = script({
        root: [call(...calls), say('done')],
        child: [
          call('pick'),
          ({ messages }) => finish(messages.find((one) => one.role === 'tool')?.content ?? ''),
        ],
      });
      const process = world.process({ model, agents: [root] });
      const open = waiting(await runOnce(process, root, 's'));
      expect(new Set(open).size).toBe(20);
      const rows = await world.calls('s');
      expect(new Set(rows.map((row) => row.ownerSessionId)).size).toBe(20);
      await Promise.all(
        rows.map((row) => answer(process, 's', row.toolCallId, row.ownerSessionId)),
      );
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(
        calls.map((_, n) => JSON.stringify({ said: `s-sub-1-${n}` })),
      );
      expect(timesAsked(model, 'child')).toBe(40);
    });

    it('RECV-05 takes no session of somebody else for a child, as nobody else can have its id', async (world) => {
      const root = agent('root', [subAgent(helper('child'))]);
      const plain = agent('plain', []);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [finish('mine')],
        plain: [say('hello')],
      });
      const process = world.process({ model, agents: [root, plain] });
      const { executor } = process;
      await runOnce(process, plain, 'plain');
      for (const taken of [
        () => executor.execute(plain, 'go', { sessionId: 's-sub-1-0' }),
        () => executor.branchSession('plain', { sessionId: 's-sub-1-0' }),
      ])
        await expect(taken()).rejects.toThrow(InvalidRequestError);
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['{"said":"mine"}']);
      const later = executor.execute(plain, 'go', { sessionId: 's-sub-1-0' });
      await expect(later).rejects.toThrow(NotRootSessionError);
    });

    it.leased(
      'RECV-08 gives up on a tree that gets a step further before each death',
      async (world) => {
        const deadly = deadlyTool();
        const once = { execution: 'once' } as const;
        const child = helper('child', [serverTool('deadly', deadly.execute, once)]);
        const root = agent('root', [subAgent(child)]);
        const model = script({
          root: [1, 2, 3].map((n) => call(use('subagent__child', {}, `call-${n}`))),
          child: [call('deadly'), finish('survived')],
        });
        const running = { model, agents: [root], limits: { maxRecoveries: 1 } };
        const further: number[] = [];
        const afterDeath = async (): Promise<void> => {
          further.push((await world.session('s')).stepId);
        };
        await deadly.kill({ world, running, root, lives: 2, afterDeath });
        expect(further).toEqual([1, 2]);
        const last = await expectGivenUp(world, running);
        await until('the child is closed', async () => (await world.session('s-sub-2-0')).closed);
        await last.executor.sweep();
      },
    );

    it.leased(
      'RECV-08 ends a tree whose child kills its process at every recovery',
      async (world) => {
        const deadly = deadlyTool();
        const child = helper('child', [serverTool('deadly', deadly.execute)]);
        const root = agent('root', [subAgent(child)]);
        const model = script({
          root: [call('subagent__child'), say('done')],
          child: [call('deadly'), finish('survived')],
        });
        const running = { model, agents: [root], limits: { maxRecoveries: 1 } };
        await deadly.kill({ world, running, root, lives: 2 });
        const last = await expectGivenUp(world, running);
        await until('the child is closed', async () => (await world.session('s-sub-1-0')).closed);
        await last.executor.sweep();
      },
    );
  });
}
