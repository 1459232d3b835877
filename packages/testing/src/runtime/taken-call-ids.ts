// If this fails: two calls of a tree share an id, so an answer reaches the wrong one, or a run asks for ever without being heard.
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, subAgent } from './definitions.ts';
import { call, finish, say, script, use } from './script.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function takenCallIds(it: Scenario): void {
  describe('the id of a call', () => {
    it('names the session of a child by sixteen digits', async (world) => {
      const root = agent('root', [subAgent(helper('child', [clientTool('pick')]))]);
      const model = script({ root: [call('subagent__child')], child: [call('pick')] });
      const process = world.process({ model, agents: [root] });
      const [id] = waiting(await runOnce(process, root, 's'));
      expect(id).toBe(`pick~${await markOf('s-sub-1-0')}.1.0`);
    });

    it('is another one when the model made up the one it would get', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const uses = ['a~1.2', 'a', 'a'].map((id) => use('pick', {}, id));
      const process = world.process({ model: script({ root: [call(...uses)] }), agents: [root] });
      const ids = waiting(await runOnce(process, root, 's'));
      expect(new Set(ids).size).toBe(3);
    });

    it('fails the run of a child if another call of the tree has it already', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [clientTool('pick'), subAgent(child)]);
      const taken = `pick~${await markOf('s-sub-1-1')}.1.0`;
      const model = script({
        root: [call(use('pick', {}, taken), 'subagent__child'), say('done')],
        child: [call('pick'), finish('found')],
      });
      const process = world.process({ model, agents: [root] });
      expect(waiting(await runOnce(process, root, 's'))).toEqual([taken]);
      expect(await world.session('s-sub-1-1')).toMatchObject({
        status: 'failed',
        error: { code: 'call_id_taken' },
      });
      await answer(process, 's', taken, 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['red', expect.stringContaining(taken)]);
    });
  });
}

/** What the engine puts into ids of the calls of a child. */
async function markOf(sessionId: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(sessionId));
  const digits = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  return digits.join('').slice(0, 16);
}
