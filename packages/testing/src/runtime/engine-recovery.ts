// If this fails: on a runtime whose engine keeps runs alive, work of a dead process is forgotten, done by a second owner,
// or repeated for ever.
import { AgentAlreadyRunningError } from '@helix-agents/core';
import { expect } from 'vitest';
import { agent, helper, serverTool, subAgent } from './definitions.ts';
import { onFirst, records } from './plan-kinds.ts';
import { LEASE_MS } from './process.ts';
import { call, finish, say, script, timesAsked } from './script.ts';
import { barrier, until } from './waiting.ts';
import { resumeOnce, runOnce, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function engineRecovery(it: Scenario): void {
  it.engine(
    'RECV-07 goes on in another process by itself, and nobody takes over',
    async (world) => {
      const held = barrier();
      const root = agent('root', [
        serverTool('look', () => 'seen'),
        serverTool('slow', () => held.pass()),
      ]);
      const other = agent('other', []);
      const model = script({
        root: [call('look'), call('slow'), say('done')],
        other: [say('hello')],
      });
      const first = world.process({ model, agents: [root, other] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      first.kill();
      const second = world.process({ model, agents: [root, other] });
      await expect(second.executor.resume('s')).rejects.toThrow(AgentAlreadyRunningError);
      await expect(second.executor.execute(root, 'more', { sessionId: 's' })).rejects.toThrow(
        AgentAlreadyRunningError,
      );
      await world.clock.skip(LEASE_MS + 1);
      expect(await second.executor.sweep()).toMatchObject({ recovered: 0 });
      expect(await runOnce(second, other, 'o'), 'RECV-01 serves meanwhile').toEqual({
        status: 'completed',
        output: 'hello',
      });
      held.open();
      await until('it is done', async () => (await world.session('s')).status === 'completed');
      expect(await world.session('s')).toMatchObject({ epoch: 1, recoveries: 0 });
      expect(timesAsked(model, 'root')).toBe(3);
      expect(await world.runs('s')).toHaveLength(1);
    },
  );

  it.engine(
    'RECV-08 gives up on a sub-agent whose tool kills every process, and tells its parent',
    async (world) => {
      let kill = (): Promise<void> => Promise.resolve();
      const child = helper('child', [serverTool('deadly', () => kill())]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('deadly'), finish('survived')],
      });
      let lives = 0;
      const isOver = async (): Promise<boolean> =>
        (await world.sessions()).some((one) => one.sessionId === 's' && one.status !== 'running');
      while (!(await isOver())) {
        const seen = lives;
        const process = world.process({ model, agents: [root] });
        kill = () => {
          lives += 1;
          process.kill();
          return new Promise(() => {});
        };
        if (seen === 0) await process.executor.execute(root, 'go', { sessionId: 's' });
        await until('it kills again, or is over', async () => lives > seen || (await isOver()));
        await world.clock.skip(LEASE_MS + 1);
      }
      expect(lives, 'attempts are bounded').toBeLessThanOrEqual(10);
      expect(await world.session('s')).toMatchObject({ status: 'completed' });
      const [, , result] = await world.messages('s');
      expect(result).toMatchObject({ errorDetail: { code: 'subagent_failed' } });
    },
  );

  for (const [name, matches] of [
    ['plan', records('plan')],
    ['result', records('result')],
  ] as const) {
    it.engine(
      `ATOM-13 keeps one ${name} when a paused process wakes while another repeats its work`,
      async (world) => {
        const late = barrier();
        const root = agent('root', [serverTool('work', () => 'worked')]);
        const model = script({ root: [call('work'), say('done')] });
        const first = world.process({
          agents: [root],
          model,
          before: onFirst(matches, () => late.pass()),
        });
        const ended = runOnce(first, root, 's');
        await late.reached;
        first.pause();
        await world.clock.skip(2 * LEASE_MS);
        const second = world.process({ agents: [root], model });
        expect(await resumeOnce(second, 's')).toEqual(DONE);
        const before = await world.session('s');
        first.wake();
        late.open();
        expect(await ended).toEqual(DONE);
        expect(await world.session('s')).toEqual(before);
        expect(await world.results('s')).toEqual(['worked']);
      },
    );
  }
}
