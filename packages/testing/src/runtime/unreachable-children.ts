// If this fails: one sub-agent that cannot be started, or whose database is down, takes its parent and its siblings with it,
// or an answer that was accepted for it is lost.
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { createsChild, onFirst } from './plan-kinds.ts';
import { call, finish, say, script, timesAsked } from './script.ts';
import {
  answerFor,
  askingChildren,
  comesBack,
  expectPairs,
  referenceTo,
  threeChildren,
  timeGoesBy,
  workingChild,
} from './unreachable-kit.ts';
import { unreachableStops } from './unreachable-stops.ts';
import { barrier, until } from './waiting.ts';
import { patiently, resumeOnce, runOnce, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const SECOND = 's-sub-1-1';

export function unreachableChildren(it: Scenario): void {
  describe('a sub-agent that cannot be reached', () => {
    it('CHLD-02 is one tool error when it was created and can do nothing', async (world) => {
      const { root, model } = threeChildren();
      const process = world.process({
        model,
        agents: [root],
        before: (_, plan) => {
          const [first] = plan?.sessions ?? [];
          return first?.sessionId === SECOND && !first.set?.closed ? 'fail-before' : 'pass';
        },
      });
      expect(await patiently(world, runOnce(process, root, 's'))).toEqual(DONE);
      await expectOneError(world, 's', 'subagent_failed');
      await process.executor.sweep();
      expect(await world.session(SECOND)).toMatchObject({ status: 'failed', closed: true });
      await expectPairs(world, 's', 3);
    });

    for (const depth of [1, 2]) {
      it.apart(`CHLD-02 is one tool error at depth ${depth}, and closed later`, async (world) => {
        const { root, model } = threeChildren(depth);
        const parent = depth === 1 ? 's' : 's-sub-1-0';
        const lost = `${parent}-sub-1-1`;
        const down = new Set([lost]);
        const process = world.process({ model, agents: [root], down });
        expect(await patiently(world, runOnce(process, root, 's'))).toEqual(DONE);
        await expectOneError(world, parent, 'subagent_dispatch_failed');
        expect(process.log).toContain('subagent.dispatch_failed');
        expect(await referenceTo(world, parent, lost)).toMatchObject({ state: 'closing' });
        await process.executor.sweep();
        expect(await referenceTo(world, parent, lost)).toMatchObject({ state: 'closing' });
        await comesBack(world, process, down);
        expect(await world.session(lost)).toMatchObject({
          status: 'failed',
          closed: true,
          turn: 0,
        });
        expect(await referenceTo(world, parent, lost)).toMatchObject({ state: 'closed' });
        expect(timesAsked(model, 'child')).toBe(2);
        await expectPairs(world, 's', depth + 1);
      });
    }

    it.apart(
      'CHLD-02 is one tool error when it is lost right after its creation',
      async (world) => {
        const { root, model } = threeChildren();
        const down = new Set<string>();
        const created = onFirst(
          (plan) => createsChild(plan) && plan.insert?.sessions?.[0]?.sessionId === SECOND,
          () => void down.add(SECOND),
        );
        const process = world.process({ model, agents: [root], down, after: created });
        expect(await patiently(world, runOnce(process, root, 's'))).toEqual(DONE);
        await expectOneError(world, 's', 'subagent_dispatch_failed');
        expect(await world.session(SECOND)).toMatchObject({ status: 'running', closed: false });
        await comesBack(world, process, down);
        expect(await world.session(SECOND)).toMatchObject({ status: 'failed', closed: true });
        await expectPairs(world, 's', 3);
      },
    );

    it.apart(
      'CHLD-02 is one tool error when it is lost in the middle of its work',
      async (world) => {
        const { held, ran, root, model } = workingChild();
        const down = new Set<string>();
        const process = world.process({ model, agents: [root], down });
        const ended = runOnce(process, root, 's');
        await held.reached;
        down.add('s-sub-1-0');
        held.open();
        expect(await patiently(world, ended)).toEqual(DONE);
        const [lost, other] = (await world.messages('s')).filter((one) => one.role === 'tool');
        expect(lost).toMatchObject({ errorDetail: { code: 'subagent_failed' } });
        expect(other).toMatchObject({ content: '{"said":"quick"}' });
        await comesBack(world, process, down);
        expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'failed', closed: true });
        expect(ran).toEqual(['work']);
        await expectPairs(world, 's', 2);
      },
    );

    it.apart(
      'CHLD-13 is not given up while a person is asked, also when its time is over',
      async (world) => {
        const held = barrier();
        const child = helper('child', [clientTool('pick'), serverTool('slow', () => held.pass())]);
        const root = agent('root', [subAgent(child, { timeoutMs: 60_000 })]);
        const model = script({
          root: [call('subagent__child'), say('done')],
          child: [call('pick', 'slow'), finish('picked')],
        });
        const down = new Set<string>();
        const process = world.process({ model, agents: [root], down });
        const ended = runOnce(process, root, 's');
        await held.reached;
        await until('it is asked', async () => (await world.calls('s')).length === 1);
        down.add('s-sub-1-0');
        await world.clock.skip(60_001);
        held.open();
        await timeGoesBy(world);
        expect(await answerFor(world, process, 's-sub-1-0', 'red')).toEqual({ status: 'accepted' });
        await timeGoesBy(world);
        down.clear();
        expect(await patiently(world, ended)).toEqual(DONE);
        expect(await world.results('s-sub-1-0')).toContain('red');
        expect(await world.results('s')).toEqual(['{"said":"picked"}']);
        expect(timesAsked(model, 'child')).toBe(2);
      },
    );

    for (const depth of [1, 2]) {
      it.apart(
        `CHLD-14 is waited for at depth ${depth} with an answer that was accepted for it`,
        async (world) => {
          const { root, model } = askingChildren(depth);
          const parent = depth === 1 ? 's' : 's-sub-1-0';
          const [lost, other] = [`${parent}-sub-1-0`, `${parent}-sub-1-1`];
          const down = new Set<string>();
          const process = world.process({ model, agents: [root], down });
          await runOnce(process, root, 's');
          down.add(lost);
          await answerFor(world, process, other, 'blue');
          const ended = resumeOnce(process, 's');
          await until('its sibling has ended', async () => {
            const ends = await world.chunksOf('s', 'subagent_end');
            return ends.some((one) => one.subSessionId === other);
          });
          expect(await answerFor(world, process, lost, 'red')).toEqual({ status: 'accepted' });
          await timeGoesBy(world);
          expect(await world.session('s')).toMatchObject({ status: 'running' });
          const kept = (await world.calls('s')).find((row) => row.ownerSessionId === lost);
          expect(kept).toMatchObject({ state: 'answered', outcome: 'answered' });
          down.clear();
          expect(await patiently(world, ended)).toEqual(DONE);
          const results = (await world.results(parent)).slice(0, 2);
          expect(results).toEqual(['{"said":"red"}', '{"said":"blue"}']);
          expect(timesAsked(model, 'child')).toBe(4);
          expect(await world.runs(lost)).toHaveLength(2);
        },
      );
    }

    unreachableStops(it);
  });
}

async function expectOneError(world: World, parent: string, code: string): Promise<void> {
  const results = (await world.messages(parent)).filter((one) => one.role === 'tool').slice(0, 3);
  expect(results).toMatchObject([
    { success: true },
    { success: false, errorDetail: { code } },
    { success: true },
  ]);
  const ends = await world.chunksOf('s', 'tool_end');
  expect(ends.filter((one) => one.errorCode === code)).toHaveLength(1);
}
