// If this fails: a new message leaves an unanswered call in the history, or throws an accepted answer away.
import { SessionSuspendedError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, state, subAgent } from './definitions.ts';
import { closesStep, onFirst } from './plan-kinds.ts';
import { call, finish, say, script } from './script.ts';
import { LEASE_MS } from './process.ts';
import { barrier } from './waiting.ts';
import { answer, runOnce, waiting, type Scenario } from './world.ts';

const NEW = { status: 'completed', output: 'something new' };
const SUPERSEDED = { status: 'unknown_tool_call', reason: 'superseded' };
const supersede = { sessionId: 's', onMessageWhileSuspended: 'supersede' } as const;

export function newMessages(it: Scenario): void {
  const root = agent('root', [clientTool('pick'), clientTool('look')]);
  const answers = { root: [call('pick', 'look'), say('something new')] };

  describe('a message while people are asked', () => {
    it('is refused with the open calls, and changes nothing', async (world) => {
      const process = world.process({ model: script(answers), agents: [root] });
      await runOnce(process, root, 's');
      const before = await world.session('s');
      const refused = process.executor.execute(root, 'new', { sessionId: 's' });
      await expect(refused).rejects.toThrow(SessionSuspendedError);
      await expect(refused).rejects.toMatchObject({ toolCallIds: ['pick', 'look'] });
      const resumed = { mode: 'with_message', message: 'new' } as const;
      await expect(process.executor.resume('s', resumed)).rejects.toThrow(SessionSuspendedError);
      for (const id of ['pick', 'look']) await answer(process, 's', id, 'red');
      const answered = process.executor.execute(root, 'new', { sessionId: 's' });
      await expect(answered).rejects.toMatchObject({ toolCallIds: [] });
      await expect(answered, 'nobody has to answer').rejects.toThrow('has its answers');
      expect(await world.session('s')).toEqual(before);
    });

    it('supersedes them when asked to, keeping the answers that came first', async (world) => {
      const model = script(answers);
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await answer(process, 's', 'look', 'seen');
      const handle = await process.executor.execute(root, 'new', supersede);
      expect(await handle.result()).toEqual(NEW);
      const messages = await world.messages('s');
      expect(messages.map((one) => one.role)).toEqual([
        'user',
        'assistant',
        'tool',
        'tool',
        'user',
        'assistant',
      ]);
      expect(messages[2]).toMatchObject({ errorDetail: { code: 'call_superseded' } });
      expect(messages[3]).toMatchObject({ content: 'seen' });
      expect(await answer(process, 's', 'pick', 'late')).toEqual(SUPERSEDED);
      expect(await answer(process, 's', 'look', 'late')).toEqual({ status: 'already_completed' });
    });

    it('brings its state along, over what the step left', async (world) => {
      const counting = agent(
        'root',
        [
          clientTool('pick'),
          serverTool('count', (_, context) => {
            context.updateState<{ seen: number; mood: string }>((draft) => {
              draft.seen = 1;
              draft.mood = 'calm';
            });
            return 'counted';
          }),
        ],
        { stateSchema: state({ seen: 0, mood: 'none', left: 'as it was' }) },
      );
      const model = script({ root: [call('count', 'pick'), say('something new')] });
      const process = world.process({ model, agents: [counting] });
      const given = { message: 'new', state: { mood: 'new' } };
      for (const [sessionId, stop] of [
        ['s', false],
        ['interrupted', true],
      ] as const) {
        await runOnce(process, counting, sessionId);
        if (stop) await process.executor.interrupt(sessionId);
        const handle = await process.executor.execute(counting, given, { ...supersede, sessionId });
        expect(await handle.result()).toEqual(NEW);
        expect((await world.session(sessionId)).customState).toEqual({
          seen: 1,
          mood: 'new',
          left: 'as it was',
        });
      }
    });

    it('SUB-11 takes in an answer that comes while the message is being written', async (world) => {
      const model = script(answers);
      const a = world.process({ model, agents: [root] });
      await runOnce(a, root, 's');
      const b = world.process({
        model,
        agents: [root],
        before: onFirst(closesStep, async () => {
          expect(await answer(a, 's', 'pick', 'red')).toEqual({ status: 'accepted' });
        }),
      });
      const handle = await b.executor.execute(root, 'new', supersede);
      expect(await handle.result()).toEqual(NEW);
      expect((await world.results('s'))[0]).toBe('red');
    });

    it('closes a suspended child with its call', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const parent = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('something new')],
        child: [call('pick'), finish('late')],
      });
      const process = world.process({ model, agents: [parent] });
      const [pick] = waiting(await runOnce(process, parent, 's'));
      const resumed = await process.executor.resume('s', {
        mode: 'with_message',
        message: 'new',
        onMessageWhileSuspended: 'supersede',
      });
      expect(await resumed.result()).toEqual(NEW);
      expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'failed', closed: true });
      expect(await answer(process, 's', pick as string, 'late')).toEqual(SUPERSEDED);
      await process.executor.sweep();
    });

    it('always supersedes the half step of an interrupted session', async (world) => {
      const held = barrier();
      const slow = serverTool('slow', () => held.pass());
      const working = agent('root', [serverTool('quick', () => 'quick'), slow]);
      const model = script({ root: [call('quick', 'slow'), say('something new')] });
      const process = world.process({ model, agents: [working] });
      const ended = runOnce(process, working, 's');
      await held.reached;
      await process.executor.interrupt('s');
      expect(await ended).toEqual({ status: 'interrupted' });
      held.open();
      expect(await runOnce(process, working, 's', 'new')).toEqual(NEW);
      const [quick, cut] = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(quick).toMatchObject({ content: 'quick' });
      expect(cut).toMatchObject({ errorDetail: { code: 'call_superseded' } });
    });

    it.leased('finishes a dead run first, then is treated as its status says', async (world) => {
      const held = barrier();
      const working = agent('root', [serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('slow'), say('first'), say('something new')] });
      const a = world.process({ model, agents: [working] });
      await a.executor.execute(working, 'go', { sessionId: 's' });
      await held.reached;
      a.kill();
      held.open();
      await world.clock.skip(LEASE_MS + 1);
      const b = world.process({ model, agents: [working] });
      expect(await runOnce(b, working, 's', 'new')).toEqual(NEW);
      expect((await world.runs('s')).map((run) => run.status)).toEqual(['completed', 'completed']);
    });
  });
}
