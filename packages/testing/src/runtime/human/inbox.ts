// If this fails: a person does not see what waits for them, or sees what is meant for somebody else.
import type { OpenCallFilter, SessionFilter } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, subAgent } from '../definitions.ts';
import { call, finish, say, script } from '../script.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const MINUTE = 60_000;

export function inbox(it: Scenario): void {
  const child = helper('child', [
    gatedTool('send', () => 'sent', { approvalTimeoutMs: 'never' }),
    clientTool('look', { clientToolTimeoutMs: 30 * MINUTE }),
  ]);
  const root = agent('root', [
    subAgent(child),
    clientTool('pick', { clientToolTimeoutMs: 5 * MINUTE }),
  ]);
  const model = script({
    root: [call('subagent__child', 'pick'), say('done')],
    child: [call('send', 'look'), finish('here')],
  });

  describe('the inbox of open calls', () => {
    it('lists open calls of every tree by user, agent, kind, tool, root and deadline', async (world) => {
      const process = world.process({ model, agents: [root] });
      for (const [sessionId, userId] of [
        ['s', 'ann'],
        ['t', 'bob'],
        ['u', 'ann'],
      ] as const) {
        const handle = await process.executor.execute(root, 'go', { sessionId, userId });
        await handle.result();
      }
      const desk = world.process({ model, agents: [root] });
      const list = async (filter?: OpenCallFilter): Promise<string[]> =>
        (await desk.executor.listOpenCalls(filter)).items
          .map((row) => `${row.rootId} ${row.ownerAgentType} ${row.toolName}`)
          .toSorted();
      const of = (roots: string, ...calls: string[]): string[] =>
        roots
          .split('')
          .flatMap((id) => calls.map((one) => `${id} ${one}`))
          .toSorted();
      const [send, look, pick] = ['child send', 'child look', 'root pick'] as const;
      expect(await list()).toEqual(of('stu', send, look, pick));
      expect(await list({ userId: 'ann' })).toEqual(of('su', send, look, pick));
      expect(await list({ agentType: 'child' })).toEqual(of('stu', send, look));
      expect(await list({ kind: 'approval' })).toEqual(of('stu', send));
      expect(await list({ kind: 'client', userId: 'bob' })).toEqual(of('t', look, pick));
      expect(await list({ toolName: 'look' })).toEqual(of('stu', look));
      expect(await list({ rootSessionId: 't' })).toEqual(of('t', send, look, pick));
      const soon = world.clock.now() + 10 * MINUTE;
      expect(await list({ dueBefore: soon })).toEqual(of('stu', pick));
      expect(await list({ userId: 'nobody' })).toEqual([]);
      expect((await desk.executor.listOpenCalls({ limit: 2 })).items).toHaveLength(2);
    });

    it('refuses what it cannot look for, the same on every store, and shows no empty list', async (world) => {
      const { executor } = world.process({ model, agents: [root] });
      const refused = (path: string): object => ({ code: 'INVALID_REQUEST', details: [{ path }] });
      for (const limit of [0, -1, 1.5, Number.NaN, Infinity]) {
        await expect(executor.listOpenCalls({ limit })).rejects.toMatchObject(refused('limit'));
        await expect(executor.listSessions({ limit })).rejects.toMatchObject(refused('limit'));
      }
      const oddCalls: readonly [keyof OpenCallFilter, unknown][] = [
        ['kind', 'approvals'],
        ['kind', null],
        ['dueBefore', Number.NaN],
        ['dueBefore', Infinity],
        ['dueBefore', 1.5],
        ['dueBefore', new Date(0)],
        ['userId', 7],
        ['userId', null],
        ['toolName', ['pick']],
        ['agentType', root],
      ];
      for (const [path, odd] of oddCalls)
        await expect(executor.listOpenCalls({ [path]: odd })).rejects.toMatchObject(refused(path));
      const oddSessions: readonly [keyof SessionFilter, unknown][] = [
        ['status', 'failed'],
        ['status', ['active']],
        ['tags', 'demo'],
        ['userId', 7],
      ];
      for (const [path, odd] of oddSessions)
        await expect(executor.listSessions({ [path]: odd })).rejects.toMatchObject(refused(path));
    });

    it('forgets a call the moment it is answered, expired or cancelled', async (world) => {
      const first = world.process({ model, agents: [root] });
      const open = waiting(await runOnce(first, root, 's'));
      const [send, look] = ['send', 'look'].map((name) => open.find((id) => id.startsWith(name)));
      const desk = world.process({ model, agents: [root] });
      const left = async (): Promise<string[]> =>
        (await desk.executor.listOpenCalls({ rootSessionId: 's' })).items
          .map((row) => row.toolName)
          .toSorted();
      await answer(desk, 's', look as string, 'seen');
      expect(await left()).toEqual(['pick', 'send']);
      await world.clock.skip(5 * MINUTE + 1);
      await desk.executor.sweep();
      expect(await left()).toEqual(['send']);
      await desk.executor.cancelOpenCall({ sessionId: 's', toolCallId: send as string });
      expect(await left()).toEqual([]);
      expect(await resumeOnce(desk, 's')).toEqual({ status: 'completed', output: 'done' });
    });

    it('shows what is asked, by whom and until when, and keeps who answered', async (world) => {
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const { executor } = world.process({ model, agents: [root] });
      const [row] = (await executor.listOpenCalls({ toolName: 'pick' })).items;
      expect(row).toMatchObject({
        rootId: 's',
        ownerSessionId: 's',
        route: ['s'],
        kind: 'client',
        input: {},
        state: 'open',
        answeredBy: null,
      });
      expect(row?.deadlineAt).toBe((row?.openedAt ?? 0) + 5 * MINUTE);
      const submission = { sessionId: 's', toolCallId: 'pick', result: 'red' } as const;
      const kind = 'client-tool-result';
      await executor.submitToolResult({ kind, ...submission }, { answeredBy: 'ann' });
      const kept = (await world.calls('s')).find((one) => one.toolCallId === 'pick');
      expect(kept).toMatchObject({ answeredBy: 'ann', outcome: 'answered' });
      const [asked] = (await executor.listOpenCalls({ toolName: 'send' })).items;
      expect(asked?.route).toEqual(['s', 's-sub-1-0']);
    });
  });
}
