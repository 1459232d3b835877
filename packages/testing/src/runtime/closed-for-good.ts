// If this fails: an agent that was stopped for good by whoever let it run goes on, or a start that is still under way begins it.
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, subAgent } from './definitions.ts';
import { call, finish, say, script } from './script.ts';
import { resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const REFUSED = { code: 'session_not_resumable', reason: 'closed' };

export function closedForGood(it: Scenario): void {
  describe('a session that is aborted for good', () => {
    it('gets no further turn: no message, resume, retry or checkpoint brings it back', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({ root: [call('subagent__child')], child: [call('pick')] });
      const process = world.process({ model, agents: [root] });
      const [toolCallId = ''] = waiting(await runOnce(process, root, 's'));
      const { executor } = process;
      expect(await executor.abort('s', 'enough', { close: true })).toEqual({ status: 'aborted' });
      expect(await executor.abort('s', 'again', { close: true })).toEqual({ status: 'too_late' });
      expect(await world.session('s')).toMatchObject({
        status: 'failed',
        closed: true,
        error: { code: 'run_aborted', message: 'enough' },
      });
      const back: readonly (() => Promise<unknown>)[] = [
        () => executor.execute(root, 'go on', { sessionId: 's' }),
        () => executor.resume(root, 's'),
        () => executor.resume(root, 's', { checkpointId: 'any' }),
        () => executor.retry(root, 's'),
      ];
      for (const ask of back) await expect(ask()).rejects.toMatchObject(REFUSED);
      expect(await executor.canResume(root, 's')).toMatchObject({ canResume: false });
      const late = { sessionId: 's', toolCallId, result: 'red' };
      expect(await executor.submitToolResult(late)).toMatchObject({ status: 'unknown_tool_call' });
    });

    it('is closed also where it has completed, and keeps its output', async (world) => {
      const root = agent('root', []);
      const process = world.process({ model: script({ root: [say('done')] }), agents: [root] });
      await runOnce(process, root, 's');
      const { executor } = process;
      expect(await executor.abort('s', undefined, { close: true })).toEqual({ status: 'too_late' });
      const closed = { status: 'completed', closed: true, output: 'done', error: null };
      expect(await world.session('s')).toMatchObject(closed);
      const again = executor.execute(root, 'more', { sessionId: 's' });
      await expect(again).rejects.toMatchObject(REFUSED);
    });

    it('leaves a tombstone under an id that nobody has used: a start after it creates nothing', async (world) => {
      const root = agent('root', []);
      const process = world.process({ model: script({ root: [] }), agents: [root] });
      const { executor } = process;
      const mine = { close: true, userId: 'ann' };
      expect(await executor.abort('s', 'not wanted', mine)).toEqual({ status: 'aborted' });
      expect(await executor.abort('s', 'not wanted', mine)).toEqual({ status: 'too_late' });
      const start = executor.execute(root, 'go', { sessionId: 's', userId: 'ann' });
      await expect(start).rejects.toMatchObject(REFUSED);
      expect(await world.messages('s')).toEqual([]);
      const theirs = executor.abort('s', undefined, { close: true, userId: 'bob' });
      await expect(theirs).rejects.toMatchObject({ code: 'session_not_found' });
      expect(await executor.listRuns('s')).toEqual({ runs: [] });
    });

    it('is no option to be had by half: a run, or an owner without close, is refused', async (world) => {
      const root = agent('root', []);
      const { executor } = world.process({ model: script({ root: [] }), agents: [root] });
      const odd = [
        executor.abort('s', undefined, { close: true, runId: 'r' }),
        executor.abort('s', undefined, { userId: 'ann' }),
        executor.abort('s-sub-1-0', undefined, { close: true }),
      ];
      for (const one of odd) await expect(one).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      expect(await world.sessions()).toEqual([]);
    });
  });

  describe('SUB-01 a submission with an id', () => {
    it('is accepted again, also when its answer was taken in; another one hears that it came late', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('picked')],
      });
      const process = world.process({ model, agents: [root] });
      const [toolCallId = ''] = waiting(await runOnce(process, root, 's'));
      const { executor } = process;
      const submit = (submissionId: string): Promise<unknown> =>
        executor.submitToolResult({ sessionId: 's', toolCallId, result: 'red', submissionId });
      const twice = [await submit('one'), await submit('one'), await submit('two')];
      const outcomes = [
        { status: 'accepted' },
        { status: 'accepted' },
        { status: 'already_completed' },
      ];
      expect(twice).toEqual(outcomes);
      await resumeOnce(process, 's');
      expect([await submit('one'), await submit('two')]).toEqual(outcomes.slice(1));
    });
  });
}
