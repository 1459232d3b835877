// If this fails: stop does not stop, stops the wrong run, or throws away what was done.
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { LEASE_MS } from './process.ts';
import { onFirst, setsStatus } from './plan-kinds.ts';
import { call, finish, say, script, timesAsked, type Answer } from './script.ts';
import { barrier, heldUntilStopped, until } from './waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const INTERRUPTED = { status: 'interrupted' };

export function interrupt(it: Scenario): void {
  describe('interrupt', () => {
    it('INTR-01 stops a run of another process while its tool runs, and resume goes on', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const slow = serverTool('slow', async (_, ctx) => {
        ran.push('slow');
        await heldUntilStopped(held, ctx);
        return 'slow result';
      });
      const quick = serverTool('quick', () => ran.push('quick') && 'quick result');
      const root = agent('root', [quick, slow]);
      const model = script({ root: [call('quick', 'slow'), say('done')] });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      const ended = runOnce(a, root, 's');
      await held.reached;
      await until(
        'quick is done',
        async () => (await world.chunksOf('s', 'tool_end')).length === 1,
      );
      expect(await b.executor.interrupt('s', 'enough')).toMatchObject({ status: 'requested' });
      expect(await ended).toEqual(INTERRUPTED);
      expect(await world.chunksOf('s', 'run_interrupted')).toMatchObject([{ reason: 'enough' }]);
      expect(await world.results('s')).toEqual([]);
      held.open();
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      expect(ran.toSorted(), 'what had a result keeps it').toEqual(['quick', 'slow', 'slow']);
      expect(await world.results('s')).toEqual(['quick result', 'slow result']);
      expect(timesAsked(model, 'root')).toBe(2);
    });

    it('INTR-01 cuts a model call, of which nothing is left', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const stuck: Answer = async (input) => {
        await input.callbacks.onThinking('\n', false);
        await input.callbacks.onTextDelta(' \n');
        await heldUntilStopped(held, input);
        return say('done');
      };
      const model = script({ root: [stuck] });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      const ended = runOnce(a, root, 's');
      await held.reached;
      await b.executor.interrupt('s');
      expect(await ended).toEqual(INTERRUPTED);
      expect(await world.messages('s')).toHaveLength(1);
      const types = (await world.chunks('s')).map((stored) => stored.chunk.type);
      if (types.includes('text_delta')) {
        expect(types.lastIndexOf('step_discarded')).toBeGreaterThan(
          types.lastIndexOf('text_delta'),
        );
      }
      held.open();
      expect(await resumeOnce(a, 's')).toEqual(DONE);
      expect(await world.messages('s')).toHaveLength(2);
    });

    it('INTR-01 stops a model and a tool that do not listen', async (world) => {
      const held = [barrier(), barrier()] as const;
      const deaf = serverTool('deaf', async () => {
        await held[1].pass();
        return 'late';
      });
      const root = agent('root', [deaf]);
      let first = true;
      const model = script({
        root: [
          async () => {
            if (first) await held[0].pass();
            first = false;
            return call('deaf');
          },
          say('done'),
        ],
      });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await held[0].reached;
      await process.executor.interrupt('s');
      expect(await ended).toEqual(INTERRUPTED);
      first = false;
      const resumed = resumeOnce(process, 's');
      await held[1].reached;
      await process.executor.interrupt('s');
      expect(await resumed).toEqual(INTERRUPTED);
      for (const one of held) one.open();
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['late']);
    });

    it.race('INTR-03 obeys a stop that comes before the first look', async (world) => {
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const model = script({ root: [call('look'), call('look'), say('done')] });
      const held = barrier();
      const process = world.process({
        model,
        agents: [root],
        // The claim is in the store; the loop has not begun.
        after: onFirst(
          (plan) => (plan.insert?.sessions?.length ?? 0) > 0,
          () => held.pass(),
        ),
      });
      const ended = runOnce(process, root, 's');
      await held.reached;
      const other = world.process({ model, agents: [root] });
      expect(await other.executor.interrupt('s')).toMatchObject({ status: 'requested' });
      held.open();
      expect(await ended).toEqual(INTERRUPTED);
      // The owner may know its rows from the claim: then its first write that closes a step is refused.
      expect(timesAsked(model, 'root')).toBeLessThan(2);
      expect(await resumeOnce(other, 's')).toEqual(DONE);
    });

    it('INTR-03 is too late after completion, and does not touch the next turn', async (world) => {
      const root = agent('root', []);
      const process = world.process({
        model: script({ root: [say('1'), say('2')] }),
        agents: [root],
      });
      await runOnce(process, root, 's');
      expect(await process.executor.interrupt('s')).toEqual({ status: 'too_late' });
      expect(await runOnce(process, root, 's')).toEqual({ status: 'completed', output: '2' });
    });

    it('cancels open calls of a suspended session, whose answers come too late', async (world) => {
      const root = agent('root', [clientTool('pick'), clientTool('look')]);
      const model = script({ root: [call('pick', 'look'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await answer(process, 's', 'look', 'seen');
      expect(await process.executor.interrupt('s', 'enough')).toMatchObject({
        status: 'interrupted',
      });
      expect(await world.chunksOf('s', 'run_interrupted')).toMatchObject([{ reason: 'enough' }]);
      expect(await answer(process, 's', 'pick', 'red')).toEqual({
        status: 'unknown_tool_call',
        reason: 'cancelled',
      });
      expect(await process.executor.interrupt('s')).toEqual({ status: 'too_late' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      const [picked, looked] = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(picked).toMatchObject({ success: false, errorDetail: { code: 'aborted' } });
      expect(looked, 'the answer that came first').toMatchObject({ content: 'seen' });
    });

    it('SUB-11 leaves an answer that comes while a suspended session is interrupted', async (world) => {
      const root = agent('root', [clientTool('pick'), clientTool('look')]);
      const model = script({ root: [call('pick', 'look'), say('done')] });
      const a = world.process({ model, agents: [root] });
      await runOnce(a, root, 's');
      const b = world.process({
        model,
        agents: [root],
        before: onFirst(setsStatus('interrupted'), async () => {
          expect(await answer(a, 's', 'look', 'seen')).toEqual({ status: 'accepted' });
        }),
      });
      expect(await b.executor.interrupt('s')).toMatchObject({ status: 'interrupted' });
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      const [picked, looked] = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(picked).toMatchObject({ errorDetail: { code: 'aborted' } });
      expect(looked).toMatchObject({ content: 'seen' });
    });

    it('stops a tree, children first, and resume goes on in the same child', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const slow = serverTool('slow', async (_, ctx) => {
        await heldUntilStopped(held, ctx);
        return 'slow result';
      });
      const child = helper('child', [serverTool('quick', () => ran.push('quick')), slow]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('quick'), call('slow'), finish('here')],
      });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      const ended = runOnce(a, root, 's');
      await held.reached;
      await b.executor.interrupt('s');
      expect(await ended).toEqual(INTERRUPTED);
      const statuses = (await world.sessions()).map((one) => one.status);
      expect(statuses).toEqual(['interrupted', 'interrupted']);
      held.open();
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      expect(ran).toEqual(['quick']);
      expect(await world.sessions()).toHaveLength(2);
      expect(timesAsked(model, 'child')).toBe(3);
    });

    it('INTR-06 carries a stop on when its process dies between child and root', async (world) => {
      const held = barrier();
      const child = helper('child', [serverTool('slow', (_, ctx) => heldUntilStopped(held, ctx))]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('slow'), finish('here')],
      });
      const childId = 's-sub-1-0';
      const a = world.process({
        model,
        agents: [root],
        after: onFirst(setsStatus('interrupted', childId), () => a.kill()),
      });
      await a.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      await a.executor.interrupt('s');
      await until(
        'the child has stopped',
        async () => (await world.session(childId)).status === 'interrupted',
      );
      expect(await world.session('s')).toMatchObject({ status: 'running' });
      await world.clock.skip(LEASE_MS + 1);
      const b = world.process({ model, agents: [root] });
      await b.executor.sweep();
      await until(
        'the root has stopped',
        async () => (await world.session('s')).status === 'interrupted',
      );
      held.open();
      expect(await resumeOnce(b, 's')).toEqual(DONE);
    });

    it('INTR-07 keeps a stop over a takeover', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('slow', (_, ctx) => heldUntilStopped(held, ctx))]);
      const model = script({ root: [call('slow'), say('done')] });
      const a = world.process({ model, agents: [root] });
      await a.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      a.kill();
      const b = world.process({ model, agents: [root] });
      await b.executor.interrupt('s');
      await world.clock.skip(LEASE_MS + 1);
      await b.executor.sweep();
      await until(
        'it has stopped',
        async () => (await world.session('s')).status === 'interrupted',
      );
      expect(await world.runs('s')).toHaveLength(1);
    });

    it('INTR-07 keeps a message that is sent right after an abort', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('slow'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's', 'first');
      await held.reached;
      await process.executor.abort('s');
      expect(await runOnce(process, root, 's', 'second')).toEqual(DONE);
      expect(await ended).toMatchObject({ status: 'failed' });
      held.open();
      const users = (await world.messages('s')).filter((one) => one.role === 'user');
      expect(users.map((one) => one.content)).toEqual(['first', 'second']);
    });

    it('continues a suspended child after the root was interrupted and its call cancelled', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('without')],
      });
      const process = world.process({ model, agents: [root] });
      expect(waiting(await runOnce(process, root, 's'))).toHaveLength(1);
      expect(await process.executor.interrupt('s')).toMatchObject({ status: 'interrupted' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect((await world.results('s-sub-1-0'))[0]).toContain('Error');
    });
  });
}
