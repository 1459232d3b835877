// If this fails: a conversation forgets a turn, answers a message twice, or refuses the next one.
import {
  AgentAlreadyRunningError,
  InvalidRequestError,
  NotResumableError,
  SessionExistsError,
  SessionNotFoundError,
  type AgentResult,
  type JsonObject,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, serverTool, state } from './definitions.ts';
import { call, say, script, type Answer } from './script.ts';
import { LEASE_MS } from './process.ts';
import { barrier, until } from './waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario, type World } from './world.ts';

const conversation = (...answers: readonly Answer[]): ReturnType<typeof script> =>
  script({ root: answers });

const SUPERSEDE = { onMessageWhileSuspended: 'supersede' } as const;

export function turns(it: Scenario): void {
  describe('turns', () => {
    it('TURN-01 shows the model the full history in each of five turns', async (world) => {
      const root = agent('root', []);
      const model = conversation(say('1'), say('2'), say('3'), say('4'), say('5'));
      const process = world.process({ model, agents: [root] });
      for (const n of ['1', '2', '3', '4', '5']) {
        const result = await runOnce(process, root, 's', `question ${n}`);
        expect(result).toEqual({ status: 'completed', output: n });
      }
      const shown = model.calls[4]?.messages.map((one) => one.content).slice(1);
      const expected = [1, 2, 3, 4, 5].flatMap((n) => [`question ${n}`, `${n}`]).slice(0, 9);
      expect(shown).toEqual(expected);
      const runs = await world.runs('s');
      expect(runs.map((run) => [run.turn, run.trigger, run.status])).toEqual(
        [1, 2, 3, 4, 5].map((turn) => [turn, 'execute', 'completed']),
      );
    });

    it.race('TURN-01 starts a session afresh one time, however many ask at once', async (world) => {
      const root = agent('root', []);
      const model = conversation(say('first'), say('second'));
      const processes = [1, 2].map(() => world.process({ model, agents: [root] }));
      const fresh = { sessionId: 's', ifExists: 'reject' } as const;
      const settled = await Promise.allSettled(
        processes.map(async ({ executor }) => (await executor.execute(root, 'go', fresh)).result()),
      );
      const lost = settled.filter((one) => one.status === 'rejected');
      expect(lost.map((one) => one.reason)).toEqual([expect.any(SessionExistsError)]);
      for (const { executor } of processes) {
        await expect(executor.execute(root, 'go', fresh)).rejects.toThrow(SessionExistsError);
      }
      expect(await world.messages('s')).toHaveLength(2);
      expect(await world.runs('s')).toHaveLength(1);
    });

    it('TURN-01 refuses a message while it runs, without a trace of it', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const model = conversation(async () => {
        await held.pass();
        return say('done');
      });
      const first = world.process({ model, agents: [root] });
      const second = world.process({ model, agents: [root] });
      const ended = runOnce(first, root, 's');
      await held.reached;
      for (const process of [first, second]) {
        await expect(runOnce(process, root, 's', 'me too')).rejects.toThrow(
          AgentAlreadyRunningError,
        );
      }
      held.open();
      await ended;
      expect(await world.messages('s')).toHaveLength(2);
      expect(await world.runs('s')).toHaveLength(1);
    });

    it.race('TURN-01 takes one of two messages that two processes send at once', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const slow: Answer = async () => {
        await held.pass();
        return say('second');
      };
      const model = conversation(say('first'), slow);
      const processes = [
        world.process({ model, agents: [root] }),
        world.process({ model, agents: [root] }),
      ];
      await runOnce(processes[0] as never, root, 's');
      const sent = processes.map((process, n) =>
        process.executor.execute(root, `message ${n}`, { sessionId: 's' }),
      );
      const settled = await Promise.allSettled(sent);
      const lost = settled.filter((one) => one.status === 'rejected');
      expect(lost.map((one) => one.reason)).toEqual([expect.any(AgentAlreadyRunningError)]);
      held.open();
      const won = settled.find((one) => one.status === 'fulfilled')?.value;
      expect(await won?.result()).toEqual({ status: 'completed', output: 'second' });
      expect((await world.messages('s')).map((one) => one.role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
    });

    it('TURN-02 refuses to resume what is done, unknown or running, and writes nothing', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const model = conversation(say('done'), async () => {
        await held.pass();
        return say('again');
      });
      const process = world.process({ model, agents: [root] });
      const { executor } = process;
      await expect(executor.resume('nobody')).rejects.toThrow(SessionNotFoundError);
      await runOnce(process, root, 's');
      const before = await world.session('s');
      await expect(executor.resume('s')).rejects.toThrow(NotResumableError);
      await expect(executor.retry('s')).rejects.toThrow(NotResumableError);
      expect(await world.session('s')).toEqual(before);
      expect(await world.runs('s')).toHaveLength(1);
      const ended = runOnce(process, root, 's');
      await held.reached;
      await expect(executor.resume('s')).rejects.toThrow(AgentAlreadyRunningError);
      expect(await executor.canResume(root, 's')).toMatchObject({ canResume: false });
      held.open();
      await ended;
      expect(await world.runs('s')).toHaveLength(2);
    });

    it('TURN-02 starts a new turn after completion, interruption and failure', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const process = world.process({
        agents: [root],
        model: conversation(
          say('one'),
          async ({ abortSignal, messages }) => {
            if (messages.length > 4) return say('three');
            const stopped = new Promise((resolve) =>
              abortSignal.addEventListener('abort', resolve),
            );
            void held.pass();
            await stopped;
            throw new Error('stopped');
          },
          ({ messages }) => {
            if (messages.length > 7) return say('five');
            throw new Error('down');
          },
        ),
      });
      expect(await runOnce(process, root, 's')).toMatchObject({ output: 'one' });
      const second = runOnce(process, root, 's');
      await held.reached;
      await process.executor.interrupt('s');
      expect(await second).toEqual({ status: 'interrupted' });
      expect(await runOnce(process, root, 's')).toMatchObject({ output: 'three' });
      expect(await runOnce(process, root, 's')).toMatchObject({ status: 'failed' });
      expect(await runOnce(process, root, 's')).toMatchObject({ output: 'five' });
      expect((await world.runs('s')).map((run) => run.status)).toEqual([
        'completed',
        'interrupted',
        'completed',
        'failed',
        'completed',
      ]);
    });

    it('TURN-03 numbers every execute, resume and retry over ten turns with crashes and aborts', async (world) => {
      await tenTurns(world);
      const runs = await world.runs('s');
      expect(runs.map((run) => run.trigger)).toEqual([
        'execute',
        'execute',
        'resume',
        'execute',
        'execute',
        'retry',
        'execute',
        'execute',
        'execute',
        'execute',
      ]);
      expect(runs.filter((run) => run.completedAt === null)).toEqual([]);
      const { executor } = world.process({ model: script({}), agents: [] });
      expect((await executor.listRuns('s')).runs).toEqual(runs);
      expect(await executor.getCurrentRun('s')).toEqual(runs.at(-1));
    });

    it('refuses state that does not fit on a later turn as on the first, without a trace of it', async (world) => {
      const root = agent('root', [clientTool('ask')], { stateSchema: state({ n: 0 }) });
      const process = world.process({
        model: conversation(call('ask'), say('more')),
        agents: [root],
      });
      const send = (given: JsonObject): Promise<unknown> =>
        process.executor
          .execute(root, { message: 'go', state: given }, { sessionId: 's', ...SUPERSEDE })
          .then((handle) => handle.result());
      await expect(send({ n: 'one' })).rejects.toThrow(InvalidRequestError);
      expect(await world.sessions()).toEqual([]);
      expect(waiting((await send({ n: 1 })) as AgentResult)).toEqual(['ask']);
      await expect(send({ n: 'two' })).rejects.toThrow(InvalidRequestError);
      expect(await world.calls('s')).toMatchObject([{ state: 'open' }]);
      expect(await send({ n: 2 })).toEqual({ status: 'completed', output: 'more' });
      expect((await world.session('s')).customState).toEqual({ n: 2 });
    });

    it('keeps state between turns and lets a turn replace fields', async (world) => {
      const root = agent('root', [], { stateSchema: state({ a: 1, b: 1 }) });
      const process = world.process({ model: conversation(say('1'), say('2')), agents: [root] });
      await runOnce(process, root, 's');
      const second = { message: 'more', state: { b: 2 } };
      await (await process.executor.execute(root, second, { sessionId: 's' })).result();
      expect((await world.session('s')).customState).toEqual({ a: 1, b: 2 });
    });

    it('counts maxSteps per turn', async (world) => {
      const root = agent('root', [serverTool('look', () => 'seen')], { maxSteps: 2 });
      const model = conversation(call('look'), say('one'), call('look'), say('two'));
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toMatchObject({ output: 'one' });
      expect(await runOnce(process, root, 's')).toMatchObject({ output: 'two' });
    });

    it('retries a failed run from its last committed step', async (world) => {
      const ran: string[] = [];
      let down = true;
      const root = agent('root', [serverTool('look', () => ran.push('look'))]);
      const process = world.process({
        agents: [root],
        model: conversation(call('look'), () => {
          if (down) throw new Error('down');
          return say('done');
        }),
      });
      expect(await runOnce(process, root, 's')).toMatchObject({ status: 'failed' });
      down = false;
      const retried = await process.executor.retry('s');
      expect(await retried.result()).toEqual({ status: 'completed', output: 'done' });
      expect(ran).toEqual(['look']);
      expect(await world.messages('s')).toHaveLength(4);
    });
  });
}

/** Completed, asked and answered, crashed, failed and retried, aborted, interrupted, and completed to the end. */
async function tenTurns(world: World): Promise<void> {
  const held = [barrier(), barrier(), barrier()] as const;
  let down = true;
  const root = agent('root', [clientTool('pick')]);
  const stuck =
    (n: 0 | 1 | 2): Extract<Answer, (...args: never) => unknown> =>
    async ({ abortSignal }) => {
      const stopped = new Promise<void>((resolve) => {
        abortSignal.addEventListener('abort', () => resolve());
      });
      await Promise.race([held[n].pass(), stopped]);
      return say(`after ${n}`);
    };
  const answers: Answer[] = [
    say('1'),
    call('pick'),
    say('2'),
    stuck(0),
    () => {
      if (down) throw new Error('down');
      return say('4');
    },
    (input) => (input.messages.at(-1)?.content === 'stay' ? stuck(1)(input) : stuck(2)(input)),
    say('8'),
  ];
  const model = conversation(...answers);
  const first = world.process({ model, agents: [root] });
  const second = world.process({ model, agents: [root] });
  await runOnce(first, root, 's');
  const [pick] = waiting(await runOnce(first, root, 's'));
  await answer(second, 's', pick as string, 'red');
  await resumeOnce(second, 's');
  await first.executor.execute(root, 'crash', { sessionId: 's' });
  await held[0].reached;
  first.kill();
  held[0].open();
  await world.clock.skip(LEASE_MS + 1);
  await second.executor.sweep();
  await until('taken over', async () => (await world.session('s')).status === 'completed');
  expect(await runOnce(second, root, 's')).toMatchObject({ status: 'failed' });
  down = false;
  await (await second.executor.retry('s')).result();
  const aborted = runOnce(second, root, 's', 'stay');
  await held[1].reached;
  await second.executor.abort('s');
  await aborted;
  const interrupted = runOnce(second, root, 's');
  await held[2].reached;
  await second.executor.interrupt('s');
  await interrupted;
  held[2].open();
  await runOnce(second, root, 's');
  await runOnce(second, root, 's');
}
