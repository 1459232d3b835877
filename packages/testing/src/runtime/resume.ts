// If this fails: an answered question is asked again, a session waits for ever over an answer, or two processes go on
// with it at once.
import { AgentAlreadyRunningError, InvalidRequestError } from '@helix-agents/core';
import { callKey, type CommitPlan } from '@helix-agents/core/store';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { LEASE_MS } from './process.ts';
import { closesStep, onFirst, setsStatus } from './plan-kinds.ts';
import { call, finish, say, script, timesAsked } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function resume(it: Scenario): void {
  const two = agent('root', [clientTool('one'), clientTool('two')]);
  const askTwo = { root: [call('one', 'two'), say('done')] };

  describe('resume', () => {
    it('RES-01 asks the model only when no call is open, and never twice for an answer', async (world) => {
      const model = script(askTwo);
      const process = world.process({ model, agents: [two] });
      expect(waiting(await runOnce(process, two, 's'))).toHaveLength(2);
      const none = await resumeOnce(process, 's');
      expect(none.status).toBe('suspended_client_tool');
      expect(waiting(none)).toHaveLength(2);
      await answer(process, 's', 'two', 2);
      const one = await resumeOnce(process, 's');
      expect(one.status).toBe('suspended_step_partial');
      expect(waiting(one)).toEqual(['one']);
      expect(await answer(process, 's', 'two', 'again')).toEqual({ status: 'already_completed' });
      expect(timesAsked(model, 'root')).toBe(1);
      await answer(process, 's', 'one', 1);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(timesAsked(model, 'root')).toBe(2);
      expect(await world.results('s')).toEqual(['1', '2']);
      const asked = (await world.chunksOf('s', 'tool_start')).map((chunk) => chunk.toolCallId);
      expect(asked).toEqual(['one', 'two']);
    });

    it('takes its options from either argument, and loses neither a message nor a checkpoint', async (world) => {
      const model = script({ root: [call('one', 'two'), say('done')] });
      const process = world.process({ model, agents: [two] });
      await runOnce(process, two, 's');
      const before = await world.session('s');
      const message = { mode: 'with_message', message: 'new' } as const;
      const atCheckpoint = { ...message, checkpointId: 'any' };
      const supersede = { onMessageWhileSuspended: 'supersede' } as const;
      for (const lost of [
        () => process.executor.resume({ sessionId: 's', message: 'new' }),
        () => process.executor.resume('s', { message: 'new' }),
        () => process.executor.resume({ sessionId: 's' }, { mode: 'with_message' }),
        () => process.executor.resume({ sessionId: 's', ...atCheckpoint }, supersede),
      ]) {
        await expect(lost()).rejects.toThrow(InvalidRequestError);
      }
      expect(await world.session('s'), 'nothing ran').toEqual(before);
      const handle = await process.executor.resume({ sessionId: 's', ...message }, supersede);
      expect(await handle.result()).toEqual(DONE);
      expect((await world.messages('s')).at(-2)).toMatchObject({ role: 'user', content: 'new' });
    });

    it('refuses words it does not know, which might have closed what somebody is asked', async (world) => {
      const model = script({ root: [call('one', 'two'), say('done')] });
      const process = world.process({ model, agents: [two] });
      await runOnce(process, two, 's');
      const before = await world.calls('s');
      const { executor } = process;
      const odd = 'Reject' as 'reject';
      const message = { mode: 'with_message', message: 'new' } as const;
      for (const refused of [
        () => executor.execute(two, 'new', { sessionId: 's', onMessageWhileSuspended: odd }),
        () => executor.execute(two, 'new', { sessionId: 's', ifExists: odd }),
        () => executor.resume('s', { ...message, onMessageWhileSuspended: odd }),
        () => executor.resume('s', { ifRunning: odd }),
        () => executor.resume('s', { mode: 'Continue' as 'continue' }),
        () => executor.resume('s', two as object),
        () => executor.resume({ sessionId: undefined as never }),
        () => executor.resume(undefined as never),
        () => executor.resume(two, undefined as never),
      ]) {
        await expect(refused()).rejects.toThrow(InvalidRequestError);
      }
      await expect(executor.canResume(undefined as never)).rejects.toThrow(InvalidRequestError);
      expect(await world.calls('s')).toEqual(before);
      expect(await world.runs('s')).toHaveLength(1);
    });

    it('refuses a session of another agent, and takes one that was made anew', async (world) => {
      const other = agent('other', []);
      const model = script({ root: [call('one', 'two'), say('done')] });
      const process = world.process({ model, agents: [two, other] });
      await runOnce(process, two, 's');
      const before = await world.session('s');
      for (const refused of [
        () => process.executor.resume(other, 's'),
        () => process.executor.resume(other, 's', { mode: 'with_message', message: 'new' }),
        () => process.executor.retry(other, 's'),
      ]) {
        await expect(refused()).rejects.toThrow(InvalidRequestError);
      }
      expect(await world.session('s')).toEqual(before);
      const again = await process.executor.resume({ ...two }, 's');
      expect(waiting(await again.result())).toHaveLength(2);
    });

    it('RES-02 lets one of two processes go on', async (world) => {
      const held = barrier();
      const ran: string[] = [];
      const root = agent('root', [clientTool('pick'), serverTool('work', () => ran.push('work'))]);
      const model = script({
        root: [
          call('pick'),
          async () => {
            await held.pass();
            return call('work');
          },
          say('done'),
        ],
      });
      const processes = [1, 2, 3].map(() => world.process({ model, agents: [root] }));
      await runOnce(processes[0] as never, root, 's');
      await answer(processes[0] as never, 's', 'pick', 'red');
      const tried = await Promise.allSettled(processes.map((one) => one.executor.resume('s')));
      const refused = tried.filter((one) => one.status === 'rejected').map((one) => one.reason);
      expect(refused).toEqual([
        expect.any(AgentAlreadyRunningError),
        expect.any(AgentAlreadyRunningError),
      ]);
      held.open();
      const won = tried.find((one) => one.status === 'fulfilled')?.value;
      expect(await won?.result()).toEqual(DONE);
      expect(ran).toEqual(['work']);
      expect(await world.runs('s')).toHaveLength(2);
      expect(timesAsked(model, 'root')).toBe(3);
    });

    it('RES-03 goes on in another process when the first dies right after its claim', async (world) => {
      const model = script(askTwo);
      const asking = world.process({ model, agents: [two] });
      await runOnce(asking, two, 's');
      await answer(asking, 's', 'one', 1);
      await answer(asking, 's', 'two', 2);
      const first = world.process({
        model,
        agents: [two],
        after: onFirst(setsStatus('running'), () => first.kill()),
      });
      void first.executor.resume('s');
      await until('it is claimed', async () => (await world.session('s')).status === 'running');
      const second = world.process({ model, agents: [two] });
      await expect(second.executor.resume('s')).rejects.toThrow(AgentAlreadyRunningError);
      await world.clock.skip(LEASE_MS + 1);
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect((await world.runs('s')).map((run) => run.trigger)).toEqual(['execute', 'resume']);
    });

    it('RES-04 takes answers in once when it dies between their commit and the model', async (world) => {
      const model = script(askTwo);
      const asking = world.process({ model, agents: [two] });
      await runOnce(asking, two, 's');
      await answer(asking, 's', 'one', 1);
      await answer(asking, 's', 'two', 2);
      const first = world.process({
        model,
        agents: [two],
        after: onFirst(closesStep, () => first.kill()),
      });
      // Where the claim takes them in, it is the claim that it dies after.
      void first.executor.resume('s');
      await until('the step is closed', async () => (await world.session('s')).stepId === 2);
      await world.clock.skip(LEASE_MS + 1);
      const second = world.process({ model, agents: [two] });
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['1', '2']);
      expect((await world.calls('s')).map((row) => row.state)).toEqual(['settled', 'settled']);
      const ends = (await world.chunksOf('s', 'tool_end')).map((chunk) => chunk.toolCallId);
      expect(ends.toSorted(), 'the dead one had not said so').toEqual(['one', 'two']);
    });

    it('RES-04 takes no answer in again whose row was left behind', async (world) => {
      const model = script({ root: [call('one'), call('two'), say('done')] });
      const running = { model, agents: [two] };
      await runOnce(world.process(running), two, 's');
      await answer(world.process(running), 's', 'one', 1);
      expect(waiting(await resumeOnce(world.process(running), 's'))).toEqual(['two']);
      const ref = { rootId: 's', sessionId: 's' };
      const edit: CommitPlan = {
        kind: 'edit',
        rootId: 's',
        commitId: 'by hand',
        now: world.clock.now(),
        guard: {},
        sessions: [{ sessionId: 's' }],
        update: {
          calls: [
            {
              key: callKey({ rootId: 's', toolCallId: 'one' }),
              set: { state: 'answered', settledAt: null, purgeAt: null },
            },
          ],
        },
      };
      // A reply that gets lost is the one of a commit that was applied.
      await world.storeOf(ref).commit(edit).catch(String);
      expect((await world.calls('s'))[0]).toMatchObject({ toolCallId: 'one', state: 'answered' });
      expect(waiting(await resumeOnce(world.process(running), 's'))).toEqual(['two']);
      await answer(world.process(running), 's', 'two', 2);
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['1', '2']);
      expect((await world.calls('s')).map((row) => row.state)).toEqual(['settled', 'settled']);
    });

    it.race('RES-11 never sleeps over an answer, at whatever moment it comes', async (world) => {
      const root = agent('root', [clientTool('pick'), serverTool('work', () => 'worked')]);
      const answers = { root: [call('pick', 'work'), say('done')] };
      await atEveryMoment(world, root, answers, 'pick');
    });

    it.race(
      'RES-11 never sleeps over an answer to a child, at whatever moment it comes',
      async (world) => {
        const child = helper('child', [clientTool('pick')]);
        const root = agent('root', [subAgent(child), serverTool('work', () => 'worked')]);
        const answers = {
          root: [call('subagent__child', 'work'), say('done')],
          child: [call('pick'), finish('here')],
        };
        await atEveryMoment(world, root, answers, null);
      },
    );

    it.race(
      'RES-11 goes on with the answered one of two children while the other is asked',
      async (world) => {
        const held = barrier();
        const child = helper('child', [clientTool('pick')]);
        const other = helper('other', [clientTool('pick'), serverTool('slow', () => held.pass())]);
        const root = agent('root', [subAgent(child), subAgent(other)]);
        const model = script({
          root: [call('subagent__child', 'subagent__other'), say('done')],
          child: [call('pick'), finish('one')],
          other: [call('slow'), call('pick'), finish('two')],
        });
        const process = world.process({ model, agents: [root] });
        const ended = runOnce(process, root, 's');
        await held.reached;
        await until('the first asks', async () => (await world.calls('s')).length === 1);
        const [first] = await world.calls('s');
        await answer(process, 's', first?.toolCallId as string, 1);
        held.open();
        const [second] = waiting(await ended);
        expect(timesAsked(model, 'child')).toBe(2);
        await answer(process, 's', second as string, 2);
        expect(await resumeOnce(process, 's')).toEqual(DONE);
        expect(timesAsked(model, 'child')).toBe(2);
      },
    );
  });
}

/**
 * Runs the agent once per moment: before the nth call of the store the answer arrives and another process asks to resume.
 * A caller that was refused with "already running" may rely on that run.
 */
async function atEveryMoment(
  world: World,
  root: Parameters<typeof runOnce>[1],
  answers: Parameters<typeof script>[0],
  callId: string | null,
): Promise<void> {
  const AT_ONCE = 6;
  for (let first = 1; ; first += AT_ONCE) {
    const moments = Array.from({ length: AT_ONCE }, (_, n) => first + n);
    const answered = await Promise.all(
      moments.map((moment) => atMoment(world, root, answers, callId, moment)),
    );
    if (answered.every(Boolean)) continue;
    expect(first + answered.indexOf(false), 'there are moments to try').toBeGreaterThan(2);
    return;
  }
}

/** False when the run ended before that moment. */
async function atMoment(
  world: World,
  root: Parameters<typeof runOnce>[1],
  answers: Parameters<typeof script>[0],
  callId: string | null,
  moment: number,
): Promise<boolean> {
  const sessionId = `s${moment}`;
  const model = script(answers);
  const other = world.process({ model, agents: [root] });
  let count = 0;
  let answered = false;
  let relied = false;
  const interfere = async (method: string): Promise<'pass'> => {
    // A look at the lease belongs to no moment of the run, and may come when it is over.
    if (method === 'renewLease') return 'pass';
    const [open] = (await world.calls(sessionId)).filter((row) => row.state === 'open');
    if (!open) return 'pass';
    count += 1;
    if (count !== moment) return 'pass';
    answered = true;
    await answer(other, sessionId, callId ?? open.toolCallId, 'red');
    await other.executor.resume(sessionId).catch((error: unknown) => {
      if (!AgentAlreadyRunningError.isInstance(error)) throw error;
      relied = true;
    });
    return 'pass';
  };
  const process = world.process({ model, agents: [root], before: interfere });
  const result = await runOnce(process, root, sessionId);
  if (!answered) return false;
  if (relied) expect(result, `moment ${moment}`).toEqual(DONE);
  await until(
    `moment ${moment} is done`,
    async () => (await world.session(sessionId)).status === 'completed',
  );
  return true;
}
