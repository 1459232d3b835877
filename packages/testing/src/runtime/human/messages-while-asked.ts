// If this fails: a person who writes instead of answering is ignored, or breaks a session, because another process
// serves them; or what they had approved is said to have run.
import {
  InvalidRequestError,
  NotResumableError,
  SessionSuspendedError,
  type ResumeOptions,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, subAgent } from '../definitions.ts';
import { onFirst, setsStatus } from '../plan-kinds.ts';
import { call, finish, say, script } from '../script.ts';
import { until } from '../waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const NEW = { status: 'completed', output: 'something new' };
const message = 'never mind';

export function messagesWhileAsked(it: Scenario): void {
  const ran: string[] = [];
  const child = helper('child', [clientTool('look')]);
  const root = agent('root', [
    clientTool('pick'),
    gatedTool('send', () => ran.push('send')),
    subAgent(child),
  ]);
  const answers = {
    root: [call('pick', 'send', 'subagent__child'), say('something new')],
    child: [call('look'), finish('here')],
  };

  describe('messages while people are asked', () => {
    it('are refused by a process that never saw the session, unless they may supersede', async (world) => {
      const running = { model: script(answers), agents: [root] };
      const open = waiting(await runOnce(world.process(running), root, 's'));
      const { executor } = world.process(running);
      const options: readonly ResumeOptions[] = [
        { mode: 'with_message', message },
        { mode: 'with_message', message, onMessageWhileSuspended: 'reject' },
      ];
      for (const option of options) {
        const refused = executor.resume('s', option);
        await expect(refused).rejects.toThrow(SessionSuspendedError);
        await expect(refused).rejects.toMatchObject({ toolCallIds: open });
      }
      const nothing = executor.resume('s', { mode: 'with_message' });
      await expect(nothing).rejects.toThrow(InvalidRequestError);
      expect(await world.runs('s')).toHaveLength(1);
      expect((await executor.listOpenCalls()).items).toHaveLength(3);
    });

    for (const door of ['execute', 'resume'] as const) {
      it(`supersede through ${door} in another process, and say what became of each call`, async (world) => {
        ran.length = 0;
        const model = script(answers);
        const running = { model, agents: [root] };
        const open = waiting(await runOnce(world.process(running), root, 's'));
        await decide(world.process(running), 's', 'send', true);
        const { executor } = world.process(running);
        const policy = { onMessageWhileSuspended: 'supersede' } as const;
        const handle =
          door === 'execute'
            ? await executor.execute(root, message, { sessionId: 's', ...policy })
            : await executor.resume('s', { mode: 'with_message', message, ...policy });
        expect(await handle.result()).toEqual(NEW);
        expect(ran, 'approved, not executed').toEqual([]);
        const [, , pick, send, sub, said] = await world.messages('s');
        expect([pick, send, sub]).toMatchObject([
          { errorDetail: { code: 'call_superseded' } },
          { errorDetail: { code: 'tool_not_executed' } },
          { success: false },
        ]);
        expect(said).toMatchObject({ role: 'user', content: message });
        expect(model.calls.at(-1)?.messages.at(-1)).toMatchObject({ content: message });
        await world.process(running).executor.sweep();
        expect(await world.session('s-sub-1-2')).toMatchObject({ status: 'failed', closed: true });
        const late = world.process(running);
        const look = open.find((id) => id.startsWith('look')) as string;
        for (const id of ['pick', look])
          expect(await answer(late, 's', id, 1)).toEqual({
            status: 'unknown_tool_call',
            reason: 'superseded',
          });
        expect(await decide(late, 's', 'send', true)).toEqual({ status: 'already_completed' });
        expect((await late.executor.listOpenCalls()).items).toEqual([]);
      });
    }

    it('leave a call its end, in its own step, when those who closed it and stopped the run died', async (world) => {
      const asking = agent('asking', [clientTool('pick')]);
      const running = {
        model: script({ asking: [call('pick'), say('something new')] }),
        agents: [asking],
      };
      await runOnce(world.process(running), asking, 's');
      await answer(world.process(running), 's', 'pick', 1);
      const superseding = world.process({
        ...running,
        after: onFirst(setsStatus('running'), () => superseding.kill()),
      });
      void superseding.executor.execute(asking, message, {
        sessionId: 's',
        onMessageWhileSuspended: 'supersede',
      });
      await until('it is superseded', async () => (await world.session('s')).status === 'running');
      const stopping = world.process({
        ...running,
        after: onFirst(setsStatus('failed'), () => stopping.kill()),
      });
      void stopping.executor.abort('s');
      await until('it is stopped', async () => (await world.session('s')).status === 'failed');
      expect(await runOnce(world.process(running), asking, 's')).toEqual(NEW);
      const ends = await world.chunksOf('s', 'tool_end');
      expect(ends).toMatchObject([{ toolCallId: 'pick', step: 1, result: 1 }]);
    });

    it('always supersede an interrupted session, and are too late for a completed one', async (world) => {
      const running = { model: script(answers), agents: [root] };
      await runOnce(world.process(running), root, 's');
      await world.process(running).executor.interrupt('s');
      const handle = await world
        .process(running)
        .executor.resume('s', { mode: 'with_message', message });
      expect(await handle.result()).toEqual(NEW);
      const again = world.process(running).executor.resume('s', { mode: 'with_message', message });
      await expect(again).rejects.toThrow(NotResumableError);
      await expect(resumeOnce(world.process(running), 's')).rejects.toThrow(NotResumableError);
    });
  });
}
