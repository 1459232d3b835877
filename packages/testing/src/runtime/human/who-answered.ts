// If this fails: nobody can say any more who approved what an agent did, or a provider is told the names of people.
import { InvalidRequestError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, subAgent } from '../definitions.ts';
import type { Process } from '../process.ts';
import { call, finish, say, script } from '../script.ts';
import { resumeOnce, runOnce, waiting, type Scenario, type World } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const RETENTION_MS = 60_000;

const child = helper('child', [clientTool('look')]);
const root = agent(
  'root',
  [
    clientTool('pick'),
    gatedTool('send', () => 'sent'),
    gatedTool('pay', () => 'paid'),
    clientTool('draw'),
    clientTool('guess'),
    subAgent(child),
  ],
  { completedTombstoneRetentionMs: RETENTION_MS },
);
const answers = {
  root: [call('pick', 'send', 'pay', 'draw', 'guess', 'subagent__child'), say('done')],
  child: [call('look'), finish('here')],
};

/** Each call has its answer from somebody else; who guesses gives no name. */
async function answerAll({ executor }: Process, toolCallIds: readonly string[]): Promise<void> {
  const look = toolCallIds.find((id) => id.startsWith('look')) as string;
  const result = { kind: 'client-tool-result', sessionId: 's', result: 'red' } as const;
  const approval = { kind: 'approval-response', sessionId: 's' } as const;
  await executor.submitToolResult({ ...result, toolCallId: 'pick' }, { answeredBy: 'user-ann' });
  const approved = { ...approval, toolCallId: 'send', approved: true };
  await executor.submitToolResult(approved, { answeredBy: 'user-bob' });
  const denied = { ...approval, toolCallId: 'pay', approved: false };
  await executor.submitToolResult(denied, { answeredBy: 'user-cid' });
  const drawn = { sessionId: 's', toolCallId: 'draw' };
  await executor.cancelOpenCall(drawn, { answeredBy: 'user-dan' });
  await executor.submitToolResult({ ...result, toolCallId: 'guess' });
  await executor.submitToolResult({ ...result, toolCallId: look }, { answeredBy: 'user-eve' });
}

async function namesIn(world: World, sessionId: string): Promise<readonly unknown[]> {
  return (await world.messages(sessionId)).flatMap((one) =>
    one.role === 'tool' ? [one.answeredBy] : [],
  );
}

export function whoAnswered(it: Scenario): void {
  describe('the identity of who answered', () => {
    it('is a name: a number, which stores keep each in their own way, is refused', async (world) => {
      const process = world.process({ model: script(answers), agents: [root] });
      const { executor } = process;
      const nobody = 42 as unknown as string;
      const named = executor.execute(root, 'go', { sessionId: 's', userId: nobody });
      await expect(named).rejects.toThrow(InvalidRequestError);
      expect(await world.sessions()).toEqual([]);
      await runOnce(process, root, 's');
      const before = await world.calls('s');
      const pick = { sessionId: 's', toolCallId: 'pick' };
      const by = { answeredBy: nobody };
      const picked = executor.submitToolResult({ ...pick, result: 'red' }, by);
      await expect(picked).rejects.toThrow(InvalidRequestError);
      await expect(executor.cancelOpenCall(pick, by)).rejects.toThrow(InvalidRequestError);
      expect(await world.calls('s'), 'all are open').toEqual(before);
    });

    it('is in the transcript when the rows of the calls are gone, and never shown to a model', async (world) => {
      const model = script(answers);
      const heard = new Map<string, unknown>();
      const hooks = {
        afterTool: ({ toolName, answeredBy }: { toolName: string; answeredBy?: string }): void => {
          heard.set(toolName, answeredBy);
        },
      };
      const running = { model, agents: [root], hooks };
      const open = waiting(await runOnce(world.process(running), root, 's'));
      await answerAll(world.process(running), open);
      const row = (await world.calls('s')).find((one) => one.toolCallId === 'pick');
      const last = world.process(running);
      expect(await resumeOnce(last, 's')).toEqual(DONE);
      await world.clock.skip(RETENTION_MS + 1);
      await last.executor.sweep();
      const left = (await world.calls('s')).filter((row) => row.ownerSessionId === 's');
      expect(left).toEqual([]);
      const [, , pick] = await world.messages('s');
      expect(pick).toMatchObject({ answeredAt: row?.answeredAt });
      const names = ['user-ann', 'user-bob', 'user-cid', 'user-dan', undefined, undefined];
      expect(await namesIn(world, 's')).toEqual(names);
      expect(await namesIn(world, 's-sub-1-5')).toEqual(['user-eve', undefined]);
      expect(JSON.stringify(model.calls)).not.toMatch(/user-|answeredBy|answeredAt/);
      expect(Object.fromEntries(heard)).toMatchObject({
        pick: 'user-ann',
        send: 'user-bob',
        draw: 'user-dan',
        look: 'user-eve',
      });
    });

    it('is in the transcript of a session that was aborted before it took the answers in', async (world) => {
      const running = { model: script(answers), agents: [root] };
      const open = waiting(await runOnce(world.process(running), root, 's'));
      const desk = world.process(running);
      await answerAll(desk, open);
      expect(await desk.executor.abort('s')).toEqual({ status: 'aborted' });
      const names = ['user-ann', 'user-bob', 'user-cid', 'user-dan', undefined, undefined];
      expect(await namesIn(world, 's')).toEqual(names);
      expect(await namesIn(world, 's-sub-1-5')).toEqual(['user-eve']);
    });
  });
}
