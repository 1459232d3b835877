// If this fails: a process that was paused and wakes up writes over what its successor did.
import { describe, expect } from 'vitest';
import { agent, helper, serverTool, state, subAgent } from './definitions.ts';
import { isRenewed, runsOut } from './leases.ts';
import { closesStep, keepsResult, onEach, onFirst, records, setsStatus } from './plan-kinds.ts';
import { LEASE_MS } from './process.ts';
import { call, finish, say, script, timesAsked, type Answer } from './script.ts';
import { barrier, until } from './waiting.ts';
import { resumeOnce, runOnce, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function ownership(it: Scenario): void {
  describe('ownership of a run', () => {
    const moments = [
      ['its plan', records('plan')],
      ['a result', keepsResult()],
      ['its commit', closesStep],
    ] as const;
    for (const [name, matches] of moments) {
      it(`LOCK-01 refuses ${name} of an owner that was paused for two leases`, async (world) => {
        const held = barrier();
        const count = serverTool('count', (_, ctx) => {
          ctx.updateState<{ n: number }>((draft) => {
            draft.n += 1;
          });
          return 'counted';
        });
        const root = agent('root', [count], { stateSchema: state({ n: 0 }) });
        const model = script({ root: [call('count'), say('done')] });
        const first = world.process({
          model,
          agents: [root],
          before: onFirst(matches, () => held.pass()),
        });
        const ended = runOnce(first, root, 's');
        await held.reached;
        first.pause();
        await world.clock.skip(2 * LEASE_MS);
        const second = world.process({ model, agents: [root] });
        expect(await resumeOnce(second, 's')).toEqual(DONE);
        const before = await world.session('s');
        first.wake();
        held.open();
        expect(await ended, 'reads what its successor made').toEqual(DONE);
        expect(await world.session('s')).toEqual(before);
        expect(before.customState).toEqual({ n: 1 });
        expect(await world.results('s')).toEqual(['counted']);
      });
    }

    it.leased(
      'LOCK-01 leaves a sub-agent to an owner that renews its lease late',
      async (world) => {
        const [works, child] = [barrier(), { rootId: 's', sessionId: 's-sub-1-0' }];
        const work = serverTool('work', async () => {
          await works.pass();
          return 'worked';
        });
        const root = agent('root', [subAgent(helper('child', [work]))]);
        const model = script({
          root: [call('subagent__child'), say('done')],
          child: [call('work'), finish('over')],
        });
        const tree = { model, agents: [root] };
        runOnce(world.process(tree), root, 's').catch(() => undefined);
        await works.reached;
        await runsOut(world, { rootId: 's', sessionId: 's' });
        await runsOut(world, child);
        const renews = onEach(setsStatus('running', child.sessionId), async () => {
          await isRenewed(world, child);
          works.open();
        });
        expect(await resumeOnce(world.process({ ...tree, before: renews }), 's')).toEqual(DONE);
        // Each epoch began a run of its own: none was taken over. Its owner, which lost the root, may have told it to stop.
        const { epoch } = await world.session(child.sessionId);
        expect(await world.runs(child.sessionId)).toHaveLength(epoch);
      },
    );

    it.leased(
      'LOCK-01 refuses the plan of a paused owner while its successor thinks about the same step',
      async (world) => {
        const [late, thinking, refused] = [barrier(), barrier(), barrier()];
        const root = agent('root', [
          serverTool('old', () => 'old'),
          serverTool('new', () => 'new'),
        ]);
        const first = world.process({
          agents: [root],
          model: script({ root: [call('old'), say('old')] }),
          before: onFirst(records('plan'), () => late.pass()),
          after: onFirst(records('plan'), () => void refused.pass()),
        });
        await first.executor.execute(root, 'go', { sessionId: 's' });
        await late.reached;
        first.pause();
        await world.clock.skip(2 * LEASE_MS);
        const slowly: Answer = async () => {
          await thinking.pass();
          return call('new');
        };
        const second = world.process({
          agents: [root],
          model: script({ root: [slowly, say('done')] }),
        });
        const ended = resumeOnce(second, 's');
        await thinking.reached;
        first.wake();
        late.open();
        await refused.reached;
        expect((await world.step('s')).journal).toEqual([]);
        thinking.open();
        expect(await ended).toEqual(DONE);
        expect(await world.results('s')).toEqual(['new']);
      },
    );

    it.leased(
      'LOCK-01 refuses the result of a paused owner while its successor runs the same call',
      async (world) => {
        const [late, working, refused] = [barrier(), barrier(), barrier()];
        let life = 0;
        const work = serverTool('work', async () => {
          life += 1;
          if (life === 1) return 'old';
          await working.pass();
          return 'new';
        });
        const root = agent('root', [work]);
        const model = script({ root: [call('work'), say('done')] });
        const first = world.process({
          agents: [root],
          model,
          before: onFirst(keepsResult(), () => late.pass()),
          after: onFirst(keepsResult(), () => void refused.pass()),
        });
        await first.executor.execute(root, 'go', { sessionId: 's' });
        await late.reached;
        first.pause();
        await world.clock.skip(2 * LEASE_MS);
        const second = world.process({ agents: [root], model });
        const ended = resumeOnce(second, 's');
        await working.reached;
        first.wake();
        late.open();
        await refused.reached;
        expect((await world.step('s')).journal.map((row) => row.kind)).toEqual(['plan']);
        working.open();
        expect(await ended).toEqual(DONE);
        expect(await world.results('s')).toEqual(['new']);
      },
    );

    it.leased('LOCK-01 keeps a slow owner that lives, by renewing its lease', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('slow'), say('done')] });
      const first = world.process({ model, agents: [root] });
      const second = world.process({ model, agents: [root] });
      const ended = runOnce(first, root, 's');
      await held.reached;
      for (let round = 0; round < 8; round += 1) {
        await world.clock.skip(LEASE_MS / 2);
        const { leaseUntil } = await world.session('s');
        await until(
          'it is renewed',
          async () =>
            ((await world.session('s')).leaseUntil ?? 0) > world.clock.now() + LEASE_MS / 3 ||
            (leaseUntil ?? 0) > world.clock.now() + LEASE_MS / 3,
        );
        expect(await second.executor.sweep()).toMatchObject({ recovered: 0 });
      }
      held.open();
      expect(await ended).toEqual(DONE);
      expect(timesAsked(model, 'root')).toBe(2);
    });

    it.leased(
      'LOCK-02 lets the store decide when two processes take over at once',
      async (world) => {
        const held = barrier();
        const ran: string[] = [];
        const root = agent('root', [
          serverTool('slow', () => held.pass()),
          serverTool('work', () => ran.push('work')),
        ]);
        const model = script({ root: [call('slow'), call('work'), say('done')] });
        const first = world.process({ model, agents: [root] });
        await first.executor.execute(root, 'go', { sessionId: 's' });
        await held.reached;
        first.kill();
        held.open();
        await world.clock.skip(LEASE_MS + 1);
        const rivals = [1, 2, 3, 4].map(() => world.process({ model, agents: [root] }));
        const swept = await Promise.all(rivals.map((one) => one.executor.sweep()));
        expect(swept.reduce((sum, one) => sum + one.recovered, 0)).toBe(1);
        await until('it is done', async () => (await world.session('s')).status === 'completed');
        expect(ran).toEqual(['work']);
        expect(await world.session('s')).toMatchObject({ epoch: 2, recoveries: 1 });
      },
    );

    it('LOCK-01 refuses a paused parent that wakes while its successor drives the child', async (world) => {
      const held = barrier();
      const child = helper('child', [serverTool('work', () => 'worked')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('work'), finish('here')],
      });
      const stuck = keepsResult('s-sub-1-0');
      const first = world.process({
        model,
        agents: [root],
        before: onFirst(stuck, () => held.pass()),
      });
      const ended = runOnce(first, root, 's');
      await held.reached;
      first.pause();
      await world.clock.skip(2 * LEASE_MS);
      const second = world.process({ model, agents: [root] });
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      first.wake();
      held.open();
      expect(await ended).toEqual(DONE);
      expect(await world.sessions()).toHaveLength(2);
      expect(await world.results('s-sub-1-0')).toEqual(['worked', '{"said":"here"}']);
    });
  });
}
