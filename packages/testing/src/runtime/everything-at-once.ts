// If this fails: kinds of calls that work alone break each other when a model uses them in one answer.
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
import { call, finish, say, script, use } from './script.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

export function everythingAtOnce(it: Scenario): void {
  describe('one answer with every kind of call', () => {
    it('goes on in three processes and ends with one result per call, in call order', async (world) => {
      const ran: string[] = [];
      const child = helper('child', [clientTool('ask')]);
      const add = serverTool('add', (input, ctx) => {
        const { a, b } = input as { a: number; b: number };
        ran.push('add');
        ctx.updateState<{ notes: string[] }>((draft) => void draft.notes.push(`${a} + ${b}`));
        return a + b;
      });
      const send = gatedTool('send', ({ to }) => {
        ran.push('send');
        return `sent to ${to as string}`;
      });
      const root = agent('root', [add, send, clientTool('pick'), subAgent(child)], {
        stateSchema: state({ notes: [] as string[] }),
      });
      const everything = call(
        use('add', { a: 1, b: 2 }),
        use('send', { to: 'bob' }),
        'pick',
        'subagent__child',
        'nobody',
      );
      const model = script({
        root: [{ ...everything, content: 'let me see' } as typeof everything, say('all done')],
        child: [call(use('ask', { why: true })), finish('because')],
      });
      const [a, b, c] = [1, 2, 3].map(() => world.process({ model, agents: [root] }));
      if (!a || !b || !c) return;

      const first = await runOnce(a, root, 's');
      expect(first.status).toBe('suspended_client_tool');
      const asked = waiting(first);
      const ask = asked.find((id) => id.startsWith('ask~')) as string;
      expect([...asked].toSorted()).toEqual([ask, 'pick', 'send']);

      await answer(b, 's', 'pick', 'red');
      const second = await resumeOnce(b, 's');
      expect(second.status).toBe('suspended_step_partial');
      expect([...waiting(second)].toSorted()).toEqual([ask, 'send']);

      await answer(c, 's', ask, 'no reason');
      await decide(c, 's', 'send', true);
      expect(await resumeOnce(c, 's')).toEqual({ status: 'completed', output: 'all done' });

      expect(ran).toEqual(['add', 'send']);
      const results = await world.results('s');
      expect(results.slice(0, 4)).toEqual(['3', 'sent to bob', 'red', '{"said":"because"}']);
      expect(results[4]).toContain('There is no tool "nobody"');
      expect((await world.session('s')).customState).toEqual({ notes: ['1 + 2'] });
      const ends = (await world.chunksOf('s', 'tool_end')).map((chunk) => chunk.toolCallId);
      for (const id of ['add', 'send', 'pick', ask, 'nobody']) expect(ends).toContain(id);
    });
  });
}
