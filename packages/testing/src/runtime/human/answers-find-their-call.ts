// If this fails: an answer is given to the wrong call, or a person is told that it was stored when it was not.
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, subAgent } from '../definitions.ts';
import { call, finish, say, script, use } from '../script.ts';
import { barrier } from '../waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';
import { onFirst, setsStatus } from '../plan-kinds.ts';

const DONE = { status: 'completed', output: 'done' };
const ACCEPTED = { status: 'accepted' };

export function answersFindTheirCall(it: Scenario): void {
  const picking = agent('root', [clientTool('pick')]);
  const pickOnce = { root: [call('pick'), say('done')] };

  describe('answers and their calls', () => {
    const faults = { 'fail-before': 'accepted', 'fail-after': 'already_completed' } as const;
    for (const [fault, after] of Object.entries(faults)) {
      it(`SUB-08 tells the caller when the store did not answer (${fault}), and a retry`, async (world) => {
        const model = script(pickOnce);
        await runOnce(world.process({ model, agents: [picking] }), picking, 's');
        const cut = world.process({
          model,
          agents: [picking],
          before: (method) => (method === 'answerCall' ? (fault as 'fail-before') : 'pass'),
        });
        await expect(answer(cut, 's', 'pick', 'red')).rejects.toThrow('connection lost');
        const told = cut.events.find((one) => one.name === 'client_tool.submit_failed');
        expect(told).toMatchObject({
          level: 'error',
          data: { sessionId: 's', toolCallId: 'pick' },
        });
        const later = world.process({ model, agents: [picking] });
        expect(await answer(later, 's', 'pick', 'red')).toEqual({ status: after });
        expect(await resumeOnce(world.process({ model, agents: [picking] }), 's')).toEqual(DONE);
        expect(await world.results('s')).toEqual(['red']);
      });
    }

    it('SUB-08 fails while the store is down, and a retry is accepted', async (world) => {
      const model = script(pickOnce);
      await runOnce(world.process({ model, agents: [picking] }), picking, 's');
      const down = world.process({ model, agents: [picking], before: () => 'fail-before' });
      await expect(answer(down, 's', 'pick', 'red')).rejects.toThrow('connection lost');
      expect(down.log).toContain('client_tool.submit_failed');
      const later = world.process({ model, agents: [picking] });
      expect(await answer(later, 's', 'pick', 'red')).toEqual(ACCEPTED);
      expect(await resumeOnce(later, 's')).toEqual(DONE);
    });

    it.race(
      'SUB-08 stores an answer while a commit is under way, and a second one is told',
      async (world) => {
        const held = barrier();
        const root = agent('root', [clientTool('one'), clientTool('two')]);
        const model = script({ root: [call('one', 'two'), say('done')] });
        const running = { model, agents: [root] };
        await runOnce(world.process(running), root, 's');
        await answer(world.process(running), 's', 'one', 1);
        const resuming = world.process({
          ...running,
          before: onFirst(setsStatus('suspended'), () => held.pass()),
        });
        const ended = resumeOnce(resuming, 's');
        await held.reached;
        expect(await answer(world.process(running), 's', 'two', 2)).toEqual(ACCEPTED);
        for (const id of ['one', 'two']) {
          const again = await answer(world.process(running), 's', id, 'other');
          expect(again).toEqual({ status: 'already_completed' });
        }
        held.open();
        // An operation that is repeated may have suspended the session before the answer came.
        const result = await ended;
        const isOver = !('suspended' in result);
        expect(isOver ? result : await resumeOnce(world.process(running), 's')).toEqual(DONE);
        expect(await world.results('s')).toEqual(['1', '2']);
      },
    );

    it('SUB-09 keeps two sessions apart whose calls have the same id', async (world) => {
      const model = script(pickOnce);
      const running = { model, agents: [picking] };
      await Promise.all(['s', 't'].map((id) => runOnce(world.process(running), picking, id)));
      expect(await answer(world.process(running), 't', 'pick', 'for t')).toEqual(ACCEPTED);
      expect((await world.calls('s'))[0]?.state).toBe('open');
      expect(await answer(world.process(running), 's', 'pick', 'for s')).toEqual(ACCEPTED);
      for (const id of ['s', 't']) {
        expect(await resumeOnce(world.process(running), id)).toEqual(DONE);
        expect(await world.results(id)).toEqual([`for ${id}`]);
      }
    });

    it('SUB-09 gives a new id to each call of a model that repeats itself, at every depth', async (world) => {
      const rounds = 3;
      const asks = Array<ReturnType<typeof call>>(rounds).fill(call(use('pick', {}, 'call_0')));
      const deep = helper('deep', [clientTool('pick')]);
      const child = helper('child', [clientTool('pick'), subAgent(deep)]);
      const root = agent('root', [clientTool('pick'), subAgent(child)]);
      const model = script({
        root: [call(use('pick', {}, 'call_0'), use('subagent__child', {}, 'call_1')), say('done')],
        child: [
          call(use('pick', {}, 'call_0'), use('subagent__deep', {}, 'call_1')),
          finish('child'),
        ],
        deep: [...asks, finish('deep')],
      });
      const running = { model, agents: [root] };
      const seen: string[] = [];
      let result = await runOnce(world.process(running), root, 's');
      while ('suspended' in result) {
        const process = world.process(running);
        const open = waiting(result);
        seen.push(...open);
        for (const row of (await world.calls('s')).filter((one) => one.state === 'open'))
          expect(await answer(process, 's', row.toolCallId, row.ownerSessionId)).toEqual(ACCEPTED);
        result = await resumeOnce(process, 's');
      }
      expect(result).toEqual(DONE);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toHaveLength(2 + rounds);
      expect((await world.results('s'))[0]).toBe('s');
      expect((await world.results('s-sub-1-1'))[0]).toBe('s-sub-1-1');
      const deepest = 's-sub-1-1-sub-1-1';
      expect((await world.results(deepest)).slice(0, rounds)).toEqual([deepest, deepest, deepest]);
    });
  });
}
