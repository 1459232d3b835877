// If this fails: a person is told that a session can go on, and it cannot, or a session that waits for a resume is left alone.
import { errorMessage, type AgentConfig } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import type { ExecutorUnderTest } from '../world/test-world.ts';
import { call, finish, say, script } from './script.ts';
import { barrier } from './waiting.ts';
import { runOnce, waiting, type Scenario } from './world.ts';

export function whyNotResumed(it: Scenario): void {
  describe('canResume', () => {
    it('says why not in the words of the resume that would be refused', async (world) => {
      const held = barrier();
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const busy = agent('busy', [serverTool('wait', () => held.pass())]);
      const done = agent('done', []);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('picked')],
        busy: [call('wait'), say('done')],
        done: [say('done')],
      });
      const process = world.process({ model, agents: [root, busy, done] });
      await runOnce(process, root, 'waits');
      await runOnce(process, done, 'done');
      await runOnce(process, root, 'aborted');
      await process.executor.abort('aborted');
      const running = await process.executor.execute(busy, 'go', { sessionId: 'runs' });
      await held.reached;

      const refusals: readonly (readonly [AgentConfig, string, string])[] = [
        [root, 'nobody', 'here is no session nobody'],
        [child, 'waits-sub-1-0', 'waits'],
        [busy, 'runs', 'already'],
        [done, 'done', 'completed'],
        [root, 'aborted', 'failed'],
        [child, 'aborted-sub-1-0', 'aborted'],
        [done, 'waits', 'belongs to the agent "root", not to "done"'],
      ];
      for (const [given, sessionId, word] of refusals) {
        const { canResume, reason } = await process.executor.canResume(given, sessionId);
        expect(canResume, sessionId).toBe(false);
        expect(reason?.toLowerCase()).toContain(word.toLowerCase());
        expect(reason).toBe(await refusalOf(process.executor, given, sessionId));
      }
      held.open();
      await running.result();
    });

    it('says yes where the session waits, and remembers no agent for having been asked', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const before = await world.session('s');
      const { executor } = world.process({ model, agents: [] });
      expect(await executor.canResume(root, 's')).toEqual({ canResume: true, state: before });
      const unknown = await executor.canResume('s');
      expect(unknown).toMatchObject({ canResume: false, state: before });
      expect(unknown.reason).toContain('No agent "root" is known in this process');
      const refused = await executor.resume('s').catch(errorMessage);
      expect(refused).toBe(unknown.reason);
      expect(await world.session('s')).toEqual(before);
      expect(waiting(await (await executor.resume(root, 's')).result())).toEqual(['pick']);
    });
  });
}

function refusalOf(
  executor: ExecutorUnderTest,
  given: AgentConfig,
  sessionId: string,
): Promise<string> {
  return executor.resume(given, sessionId).then(() => 'was resumed', errorMessage);
}
