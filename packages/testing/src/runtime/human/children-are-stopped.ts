// If this fails: an answer that a person was thanked for is recorded as aborted because the tree above it was stopped at
// that moment, or a child works on under a root that has ended.
import { isRoot } from '@helix-agents/core/store';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, subAgent } from '../definitions.ts';
import { closesStep, createsChild, onFirst, opensCalls, setsStatus } from '../plan-kinds.ts';
import { LEASE_MS, type Process, type ProcessOptions } from '../process.ts';
import { call, finish, say, script, timesAsked, type Answer } from '../script.ts';
import { barrier } from '../waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const ACCEPTED = { status: 'accepted' };
const DONE = { status: 'completed', output: 'done' };
const ABORTED = { status: 'failed', error: { code: 'run_aborted' } };

/** A root whose descendant at that depth asks a person. */
function asksAtDepth(depth: number): ProcessOptions & { readonly deepest: string } {
  const answers: { [name: string]: Answer[] } = {
    root: [call('subagent__child-1'), say('done')],
    [`child-${depth}`]: [call('pick'), finish('picked')],
  };
  let below = helper(`child-${depth}`, [clientTool('pick')]);
  for (let level = depth - 1; level >= 1; level -= 1) {
    answers[`child-${level}`] = [call(`subagent__${below.name}`), finish(below.name)];
    below = helper(`child-${level}`, [subAgent(below)]);
  }
  const agents = [agent('root', [subAgent(below)])];
  return { model: script(answers), agents, deepest: `s${'-sub-1-0'.repeat(depth)}` };
}

const STOPS = {
  abort: { writes: closesStep, by: ({ executor }: Process) => executor.abort('s') },
  interrupt: {
    writes: setsStatus('interrupted', 's'),
    by: ({ executor }: Process) => executor.interrupt('s'),
  },
  supersede: {
    writes: closesStep,
    by: async ({ executor }: Process) =>
      (await executor.resume('s', { ...SUPERSEDE, mode: 'with_message', message: 'new' })).result(),
  },
};

const SUPERSEDE = { onMessageWhileSuspended: 'supersede' } as const;

export function childrenAreStopped(it: Scenario): void {
  describe('stopped children', () => {
    for (const [name, stop] of Object.entries(STOPS)) {
      for (const [depth, moment] of [
        [2, 'before'],
        [3, 'during'],
      ] as const) {
        it(`SUB-11 CHLD-14 keeps an answer at depth ${depth} that comes ${moment} the write of: ${name}`, async (world) => {
          const { deepest, ...running } = asksAtDepth(depth);
          const first = world.process(running);
          const [pick] = waiting(await runOnce(first, running.agents[0] as never, 's'));
          const say = async (): Promise<void> => {
            expect(await answer(first, 's', pick as string, 'red')).toEqual(ACCEPTED);
          };
          if (moment === 'before') await say();
          const stopping = world.process({
            ...running,
            ...(moment === 'during' && { before: onFirst(stop.writes, say) }),
          });
          await stop.by(stopping);
          if (name === 'interrupt')
            expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
          else await stopping.executor.sweep();
          expect((await world.results(deepest))[0]).toBe('red');
          expect(await world.calls('s')).toMatchObject([{ state: 'settled', outcome: 'answered' }]);
          const again = await answer(first, 's', pick as string, 'blue');
          expect(again).toEqual({ status: 'already_completed' });
        });
      }
    }

    for (const lost of ['of the abort', 'of the creation'] as const) {
      it(`CHLD-11 lets no late parent create a child of an aborted session, with the reply ${lost} lost`, async (world) => {
        const held = barrier();
        const child = helper('child');
        const root = agent('root', [subAgent(child)]);
        const model = script({
          root: [call('subagent__child'), say('done')],
          child: [finish('late')],
        });
        const losing = (matches: typeof closesStep): NonNullable<ProcessOptions['before']> => {
          let done = false;
          return (_, plan) => {
            if (done || !plan || !matches(plan)) return 'pass';
            done = true;
            return 'fail-after';
          };
        };
        const hold = onFirst(createsChild, () => held.pass());
        const lose = lost === 'of the creation' ? losing(createsChild) : undefined;
        const a = world.process({
          model,
          agents: [root],
          before: async (method, plan) => {
            await hold(method, plan);
            return (await lose?.(method, plan)) ?? 'pass';
          },
        });
        const b = world.process({
          model,
          agents: [root],
          ...(lost === 'of the abort' && { before: losing(closesStep) }),
        });
        const ended = runOnce(a, root, 's');
        await held.reached;
        expect(await b.executor.abort('s')).toEqual({ status: 'aborted' });
        held.open();
        expect(await ended).toMatchObject(ABORTED);
        expect(timesAsked(model, 'child')).toBe(0);
        const below = (await world.sessions()).filter((one) => !isRoot(one));
        expect(below.filter((one) => !one.closed)).toEqual([]);
        expect(await world.results('s')).toHaveLength(1);
      });
    }

    it.leased(
      'CHLD-12 opens no call for a child whose root a message superseded meanwhile',
      async (world) => {
        const held = barrier();
        const child = helper('child', [clientTool('pick')]);
        const root = agent('root', [subAgent(child)]);
        const model = script({
          root: [call('subagent__child'), say('done')],
          child: [call('pick'), finish('late')],
        });
        const running: ProcessOptions = { model, agents: [root] };
        const a = world.process({ ...running, before: onFirst(opensCalls, () => held.pass()) });
        const late = runOnce(a, root, 's');
        await held.reached;
        a.pause();
        await world.clock.skip(LEASE_MS + 1);
        const b = world.process(running);
        await b.executor.interrupt('s');
        expect(await resumeOnce(b, 's')).toEqual({ status: 'interrupted' });
        expect(await runOnce(world.process(running), root, 's', 'new')).toEqual(DONE);
        held.open();
        a.wake();
        await late;
        expect(await world.calls('s')).toEqual([]);
        expect(await world.session('s-sub-1-0')).toMatchObject({ status: 'failed', closed: true });
        expect(await world.results('s')).toHaveLength(1);
      },
    );
  });
}
