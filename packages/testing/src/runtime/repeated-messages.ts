// If this fails: a message that a client sends again, because it lost the reply or was clicked twice, is answered twice or
// stops its own answer; or two users get into one session.
import {
  AgentAlreadyRunningError,
  HelixError,
  InvalidRequestError,
  SessionNotFoundError,
  type AgentExecutionHandle,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, serverTool } from './definitions.ts';
import { onFirst } from './plan-kinds.ts';
import { LEASE_MS, type Process } from './process.ts';
import { call, say, script, type Answer } from './script.ts';
import { barrier, until } from './waiting.ts';
import { runOnce, type Scenario, type World } from './world.ts';

const AT_ONCE = 6;
const supersede = { onMessageWhileSuspended: 'supersede' } as const;

function input(...ids: string[]): { message: { role: 'user'; id: string; content: string }[] } {
  return { message: ids.map((id) => ({ role: 'user', id, content: `message ${id}` })) };
}

async function userMessages(world: World): Promise<readonly string[]> {
  const messages = await world.messages('s');
  return messages.flatMap((one) => (one.role === 'user' ? [one.id ?? ''] : []));
}

/** The same message from several processes at once. */
async function sendAtOnce(
  processes: readonly Process[],
  root: ReturnType<typeof agent>,
  id: string,
  options: object = {},
): Promise<readonly AgentExecutionHandle[]> {
  return Promise.all(
    Array.from({ length: AT_ONCE }, (_, place) =>
      (processes[place % processes.length] as Process).executor.execute(root, input(id), {
        sessionId: 's',
        ...options,
      }),
    ),
  );
}

function oneRun(handles: readonly AgentExecutionHandle[]): void {
  expect(new Set(handles.map(({ runId }) => runId)).size).toBe(1);
}

export function repeatedMessages(it: Scenario): void {
  describe('a message that is sent again', () => {
    const root = agent('root', [clientTool('pick')]);

    it.race('at once begins one turn, and then one more', async (world) => {
      const model = script({ root: [say('one'), say('two'), say('too many')] });
      const processes = [1, 2].map(() => world.process({ model, agents: [root] }));
      for (const [id, output] of [
        ['a', 'one'],
        ['b', 'two'],
      ] as const) {
        const handles = await sendAtOnce(processes, root, id);
        oneRun(handles);
        for (const handle of handles)
          expect(await handle.result()).toEqual({ status: 'completed', output });
      }
      expect(await userMessages(world)).toEqual(['a', 'b']);
      expect(await world.runs('s')).toHaveLength(2);
    });

    it.race('at once supersedes the calls that wait, once', async (world) => {
      const model = script({ root: [call('pick'), call('pick'), say('too many')] });
      const process = world.process({ model, agents: [root] });
      const first = await process.executor.execute(root, input('a'), { sessionId: 's' });
      expect(await first.result()).toMatchObject({ status: 'suspended_client_tool' });
      const handles = await sendAtOnce([process], root, 'b', supersede);
      oneRun(handles);
      for (const handle of handles)
        expect(await handle.result()).toMatchObject({ status: 'suspended_client_tool' });
      expect(await userMessages(world)).toEqual(['a', 'b']);
    });

    it('while it is being answered is given the run that answers it', async (world) => {
      const held = barrier();
      const working = agent('root', [serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('slow'), say('done')] });
      const { executor } = world.process({ model, agents: [working] });
      const first = await executor.execute(working, input('a'), { sessionId: 's' });
      await held.reached;
      const again = await executor.execute(working, input('a'), { sessionId: 's' });
      expect(again.runId).toBe(first.runId);
      const other = executor.execute(working, input('b'), { sessionId: 's' });
      await expect(other).rejects.toThrow(AgentAlreadyRunningError);
      await expect(other).rejects.toMatchObject({ runId: first.runId });
      held.open();
      expect(await again.result()).toEqual({ status: 'completed', output: 'done' });
      expect(await userMessages(world)).toEqual(['a']);
    });

    it('after a newer one is not added again, and names its own run', async (world) => {
      const model = script({ root: [say('one'), say('two'), say('too many')] });
      const { executor } = world.process({ model, agents: [root] });
      const first = await executor.execute(root, input('a'), { sessionId: 's' });
      await first.result();
      await world.clock.skip(1_000);
      const second = await executor.execute(root, input('b'), { sessionId: 's' });
      await second.result();
      const again = await executor.execute(root, input('a'), { sessionId: 's' });
      expect(again.runId).toBe(first.runId);
      expect(await again.result()).toMatchObject({ status: 'completed' });
      const newest = await executor.execute(root, input('b'), { sessionId: 's' });
      expect(newest.runId).toBe(second.runId);
      expect(await newest.result()).toEqual({ status: 'completed', output: 'two' });
      expect(await userMessages(world)).toEqual(['a', 'b']);
    });

    it('after others that came right after it names its own run, also where one failed', async (world) => {
      const refuse: Answer = () => {
        throw new HelixError({ code: 'provider_response_invalid', message: 'no' });
      };
      const model = script({ root: [say('one'), refuse, say('three'), say('too many')] });
      const { executor } = world.process({ model, agents: [root] });
      const runs: string[] = [];
      for (const id of ['a', 'b', 'c']) {
        const handle = await executor.execute(root, input(id), { sessionId: 's' });
        await handle.result();
        runs.push(handle.runId);
      }
      for (const [place, id] of ['a', 'b', 'c'].entries()) {
        const again = await executor.execute(root, input(id), { sessionId: 's' });
        expect(again.runId, id).toBe(runs[place]);
      }
      expect(await userMessages(world)).toEqual(['a', 'b', 'c']);
    });

    it('with another text or other files is refused', async (world) => {
      const model = script({ root: [say('one'), say('too many')] });
      const { executor } = world.process({ model, agents: [root] });
      await (await executor.execute(root, input('a'), { sessionId: 's' })).result();
      const files = [{ data: 'data:text/plain,x', mediaType: 'text/plain' }];
      for (const change of [{ content: 'edited' }, { files }]) {
        const message = [{ role: 'user' as const, id: 'a', content: 'message a', ...change }];
        const edited = executor.execute(root, { message }, { sessionId: 's' });
        await expect(edited).rejects.toThrow(InvalidRequestError);
      }
      expect(await userMessages(world)).toEqual(['a']);
    });

    it('together with a new one leaves the new one', async (world) => {
      const model = script({ root: [say('one'), say('two')] });
      const { executor } = world.process({ model, agents: [root] });
      await (await executor.execute(root, input('a'), { sessionId: 's' })).result();
      await (await executor.execute(root, input('a', 'b'), { sessionId: 's' })).result();
      expect(await userMessages(world)).toEqual(['a', 'b']);
      const twice = executor.execute(root, input('c', 'c'), { sessionId: 's' });
      await expect(twice).rejects.toThrow(InvalidRequestError);
    });

    it('does not stop a run that has begun since', async (world) => {
      const held = barrier();
      const working = agent('root', [serverTool('slow', () => held.pass())]);
      const model = script({ root: [say('one'), call('slow'), say('two')] });
      const { executor } = world.process({ model, agents: [working] });
      const first = await executor.execute(working, input('a'), { sessionId: 's' });
      await first.result();
      const second = await executor.execute(working, input('b'), { sessionId: 's' });
      await held.reached;
      const late = { runId: first.runId };
      expect(await executor.interrupt('s', 'late', late)).toEqual({ status: 'too_late' });
      expect(await executor.abort('s', 'late', late)).toEqual({ status: 'too_late' });
      held.open();
      expect(await second.result()).toEqual({ status: 'completed', output: 'two' });
    });
  });

  describe('a session of another user', () => {
    const root = agent('root', []);

    it('is not found, whatever is sent', async (world) => {
      const model = script({ root: [say('one')] });
      const { executor } = world.process({ model, agents: [root] });
      const mine = { sessionId: 's', userId: 'ann' } as const;
      await (await executor.execute(root, input('a'), mine)).result();
      for (const more of [{}, { ifExists: 'reject' }, supersede] as const) {
        const theirs = { ...mine, ...more, userId: 'bob' };
        for (const id of ['a', 'b'])
          await expect(executor.execute(root, input(id), theirs)).rejects.toThrow(
            SessionNotFoundError,
          );
      }
      expect(await userMessages(world)).toEqual(['a']);
    });

    it.race('is not found by those of several creators that came later', async (world) => {
      const model = script({ root: [say('one'), say('two')] });
      const processes = [1, 2].map(() => world.process({ model, agents: [root] }));
      const sent = await Promise.allSettled(
        ['ann', 'bob', 'cid', 'dee'].map((userId, place) =>
          (processes[place % 2] as Process).executor.execute(root, input(userId), {
            sessionId: 's',
            userId,
          }),
        ),
      );
      const won = sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(won).toHaveLength(1);
      for (const one of sent)
        if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(SessionNotFoundError);
      expect(await won[0]?.result()).toEqual({ status: 'completed', output: 'one' });
      const { userId } = await world.session('s');
      expect(await userMessages(world)).toEqual([userId]);
    });

    it.leased(
      'by its own executor, which got no reply, is found though its id was generated and another process went on',
      async (world) => {
        const model = script({ root: [say('done'), say('too many')] });
        const other = world.process({ model, agents: [root] });
        let isFirst = true;
        const process = world.process({
          model,
          agents: [root],
          before: async (_method, plan) => {
            const isLost = plan?.kind === 'claim' && isFirst;
            return isLost ? 'fail-after' : 'pass';
          },
          after: onFirst(
            ({ kind }) => kind === 'claim',
            async () => {
              isFirst = false;
              await world.clock.skip(LEASE_MS + 1);
              await other.executor.sweep();
              await until(
                'the other has ended it',
                async () => (await world.session('s')).status === 'completed',
              );
            },
          ),
        });
        expect(await runOnce(process, root, 's')).toEqual({ status: 'completed', output: 'done' });
        expect(await userMessages(world)).toHaveLength(1);
        expect(await world.runs('s')).toHaveLength(1);
      },
    );
  });
}
