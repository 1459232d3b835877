// If this fails: a process that dies takes work with it, or work that may happen only once happens twice.
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, serverTool, state } from './definitions.ts';
import { onFirst, records } from './plan-kinds.ts';
import { LEASE_MS, type Process } from './process.ts';
import { call, say, script, timesAsked } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, decide, resumeOnce, runOnce, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function crashes(it: Scenario): void {
  describe('the death of a process', () => {
    it('ATOM-05 leaves recorded results; only what had none runs again, under the same key', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const keys: string[] = [];
      const quick = (name: string) => serverTool(name, () => ran.push(name) && name);
      const slow = serverTool('b', async (_, ctx) => {
        ran.push('b');
        keys.push(ctx.idempotencyKey);
        await held.pass();
        return 'b';
      });
      const root = agent('root', [quick('a'), slow, quick('c')]);
      const model = script({ root: [call('a', 'b', 'c'), say('done')] });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      await until(
        'the others are done',
        async () => (await world.chunksOf('s', 'tool_end')).length === 2,
      );
      const second = await afterTheDeathOf(first, world, { model, agents: [root] });
      held.open();
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(ran.toSorted()).toEqual(['a', 'b', 'b', 'c']);
      expect(new Set(keys).size).toBe(1);
      expect(await world.results('s')).toEqual(['a', 'b', 'c']);
      expect(timesAsked(model, 'root')).toBe(2);
    });

    for (const gated of [false, true]) {
      it(`APPR-10 does not start a${gated ? ' gated' : ''} \`once\` tool again, and says that it does not know`, async (world) => {
        const held = barrier();
        const ran: string[] = [];
        const execute = async (): Promise<string> => {
          ran.push('pay');
          await held.pass();
          return 'paid';
        };
        const pay = gated
          ? gatedTool('pay', execute)
          : serverTool('pay', execute, { execution: 'once' });
        const root = agent('root', [pay]);
        const model = script({ root: [call('pay'), say('done')] });
        const first = world.process({ model, agents: [root] });
        if (gated) {
          await runOnce(first, root, 's');
          await decide(first, 's', 'pay', true);
          await first.executor.resume('s');
        } else await first.executor.execute(root, 'go', { sessionId: 's' });
        await held.reached;
        const second = await afterTheDeathOf(first, world, { model, agents: [root] });
        held.open();
        expect(await resumeOnce(second, 's')).toEqual(DONE);
        expect(ran).toEqual(['pay']);
        const [, , result] = await world.messages('s');
        expect(result).toMatchObject({ errorDetail: { code: 'tool_outcome_unknown' } });
      });
    }

    it('APPR-10 runs a gated tool marked `retry` again', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const look = gatedTool(
        'look',
        async () => {
          ran.push('look');
          await held.pass();
          return 'seen';
        },
        { execution: 'retry' },
      );
      const root = agent('root', [look]);
      const model = script({ root: [call('look'), say('done')] });
      const first = world.process({ model, agents: [root] });
      await runOnce(first, root, 's');
      await decide(first, 's', 'look', true);
      await first.executor.resume('s');
      await held.reached;
      const second = await afterTheDeathOf(first, world, { model, agents: [root] });
      held.open();
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(ran).toEqual(['look', 'look']);
      expect(await world.results('s')).toEqual(['seen']);
    });

    it('repeats at most the step when it asked for durability per step', async (world) => {
      const held = barrier();
      const root = agent(
        'root',
        [
          serverTool('count', (_, ctx) => {
            ctx.updateState<{ n: number }>((draft) => {
              draft.n += 1;
            });
          }),
          serverTool('slow', () => held.pass()),
        ],
        { durability: 'step', stateSchema: state({ n: 0 }) },
      );
      const model = script({ root: [call('count'), call('count', 'slow'), say('done')] });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      const second = await afterTheDeathOf(first, world, { model, agents: [root] });
      held.open();
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect((await world.session('s')).customState).toEqual({ n: 2 });
      expect(await world.results('s')).toEqual(['null', 'null', 'null']);
      expect(timesAsked(model, 'root')).toBeLessThanOrEqual(4);
    });

    it('keeps a `once` tool to its word with durability per step', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const pay = serverTool(
        'pay',
        async () => {
          ran.push('pay');
          await held.pass();
        },
        { execution: 'once' },
      );
      const root = agent('root', [pay], { durability: 'step' });
      const model = script({ root: [call('pay'), say('done')] });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      const second = await afterTheDeathOf(first, world, { model, agents: [root] });
      held.open();
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(ran).toEqual(['pay']);
    });

    it('goes on after a plan was recorded and nothing else', async (world) => {
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const model = script({ root: [call('look'), say('done')] });
      const first = world.process({
        model,
        agents: [root],
        after: onFirst(records('plan'), () => first.kill()),
      });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await until('there is a plan', async () => (await world.step('s')).journal.length > 0);
      const second = await afterTheDeathOf(first, world, { model, agents: [root] });
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(timesAsked(model, 'root')).toBe(2);
    });

    it('STRM-02 leaves no question untold that a person answered before anybody told it', async (world) => {
      const root = agent('root', [clientTool('pick'), gatedTool('pay', () => 'paid')]);
      const model = script({ root: [call('pick', 'pay'), say('done')] });
      const first = world.process({
        model,
        agents: [root],
        after: onFirst(records('plan'), () => first.kill()),
      });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await until('there is a plan', async () => (await world.step('s')).journal.length > 0);
      const second = await afterTheDeathOf(first, world, { model, agents: [root] });
      // The inbox shows them, whatever the stream does.
      await answer(second, 's', 'pick', 'red');
      await decide(second, 's', 'pay', true);
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      const told = (await world.chunks('s')).flatMap(({ chunk }) =>
        'toolCallId' in chunk ? [`${chunk.type} ${chunk.toolCallId}`] : [],
      );
      for (const asked of ['tool_start pick', 'tool_approval_request pay']) {
        const end = `tool_end ${asked.split(' ')[1]}`;
        expect(told.filter((one) => one === asked || one === end)).toEqual([asked, end]);
      }
    });

    it('withdraws text of a model call that died with its process', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      let dead = false;
      const model = script({
        root: [
          async ({ callbacks }) => {
            if (dead) return say('the end');
            await callbacks.onTextDelta('half a sen');
            await until(
              'it is out',
              async () => (await world.chunksOf('s', 'text_delta')).length > 0,
            );
            await held.pass();
            return say('never');
          },
        ],
      });
      const first = world.process({ model, agents: [root] });
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      const second = await afterTheDeathOf(first, world, { model, agents: [root] });
      dead = true;
      expect(await resumeOnce(second, 's')).toEqual({ status: 'completed', output: 'the end' });
      const types = (await world.chunks('s')).map(({ chunk }) => chunk.type);
      expect(types.filter((type) => type === 'text_delta' || type === 'step_discarded')).toEqual([
        'text_delta',
        'step_discarded',
        'text_delta',
      ]);
    });

    it('ATOM-13 refuses a doubled attempt that comes after its step has moved on', async (world) => {
      const [late, thinking] = [barrier(), barrier()];
      const ran: string[] = [];
      const root = agent('root', [serverTool('pay', () => ran.push('pay'), { execution: 'once' })]);
      const model = script({
        root: [
          call('pay'),
          async () => {
            await thinking.pass();
            return say('done');
          },
        ],
      });
      let doubled: Promise<unknown> = Promise.resolve();
      const process = world.process({
        model,
        agents: [root],
        // The first attempt has decided to start the tool when the second overtakes it.
        before: onFirst(records('start'), () => late.pass()),
        wrapOperations: (operations) => ({
          ...operations,
          async tool(run, planned, scope) {
            doubled = operations.tool(run, planned, scope);
            await late.reached;
            return operations.tool(run, planned, scope);
          },
        }),
      });
      const ended = runOnce(process, root, 's');
      await thinking.reached;
      expect((await world.step('s')).session.stepId).toBe(2);
      late.open();
      await doubled;
      expect(ran).toEqual(['pay']);
      thinking.open();
      expect(await ended).toEqual(DONE);
      expect(ran).toEqual(['pay']);
    });
  });
}

/** Another process, once the lease of the first is over. */
async function afterTheDeathOf(
  dead: Process,
  world: World,
  options: Parameters<World['process']>[0],
): Promise<Process> {
  dead.kill();
  await world.clock.skip(LEASE_MS + 1);
  return world.process(options);
}
