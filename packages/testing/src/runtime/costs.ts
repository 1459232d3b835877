// If this fails: people pay for what was not used, or a server that waits for ten thousand people runs out of memory.
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { call, finish, say, script } from './script.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

export function costs(it: Scenario): void {
  describe('usage', () => {
    it('sums usage over the whole tree and over runs', async (world) => {
      const child = helper('child', [
        clientTool('pick'),
        serverTool('work', (_, ctx) => {
          ctx.recordUsage({ name: 'pages', value: 3 });
          throw new Error('no');
        }),
      ]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick', 'work'), finish('here')],
      });
      const process = world.process({ model, agents: [root] });
      const [pick] = waiting(await runOnce(process, root, 's'));
      await answer(process, 's', pick as string, 'red');
      const handle = await process.executor.resume('s');
      await handle.result();
      expect(await handle.getUsageRollup()).toMatchObject({
        modelCalls: 4,
        tokens: { prompt: 40, completion: 20, total: 60 },
        subAgentStats: { totalCalls: 1, failedCalls: 0 },
        custom: { pages: 3 },
      });
      const kinds = (await world.usage.getEntries('s-sub-1-0')).map((entry) => entry.kind);
      expect(kinds.filter((kind) => kind === 'tokens')).toHaveLength(2);
    });

    it('keeps no timer and no lease for sessions that wait', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child), clientTool('pick')]);
      const model = script({
        root: [call('subagent__child', 'pick'), say('done')],
        child: [call('pick'), finish('here')],
      });
      const process = world.process({ model, agents: [root] });
      const ids = Array.from({ length: 20 }, (_, n) => `s${n}`);
      await Promise.all(ids.map((id) => runOnce(process, root, id)));
      expect(world.clock.pending).toBe(0);
      for (const session of await world.sessions()) {
        expect([session.leaseOwner, session.leaseUntil]).toEqual([null, null]);
      }
    });

    it('costs the same to resume in a process that never saw the session', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const other = world.process({ model, agents: [root] });
      await answer(other, 's', 'pick', 'red');
      expect(await resumeOnce(other, 's')).toEqual({ status: 'completed', output: 'done' });
      expect(world.clock.pending).toBe(0);
    });
  });
}
