// If this fails: an operator cannot see from logs and numbers what people were asked and how it ended, or the model is
// told about it in the wrong language.
import {
  humanizeClientToolError,
  type AgentConfig,
  type AgentHooks,
  type HookPayloads,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, serverTool, subAgent } from '../definitions.ts';
import { setsStatus } from '../plan-kinds.ts';
import type { LoggedEvent, Process } from '../process.ts';
import { call, finish, say, script, use } from '../script.ts';
import { barrier, until } from '../waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const MINUTE = 60_000;

interface Close {
  readonly way: string;
  readonly close: (process: Process, root: AgentConfig) => Promise<unknown>;
  /** How many calls count as aborted. */
  readonly aborted: number | undefined;
}

const CLOSES: readonly Close[] = [
  { way: 'abort', close: ({ executor }) => executor.abort('s'), aborted: 3 },
  {
    way: 'interrupt',
    close: async (process) => {
      await process.executor.interrupt('s');
      await resumeOnce(process, 's');
    },
    aborted: 3,
  },
  {
    way: 'a message after an interrupt',
    close: async (process, root) => {
      await process.executor.interrupt('s');
      await runOnce(process, root, 's', 'never mind');
    },
    aborted: 3,
  },
  {
    way: 'a message',
    close: async ({ executor }, root) => {
      const supersede = { onMessageWhileSuspended: 'supersede' } as const;
      const handle = await executor.execute(root, 'never mind', { sessionId: 's', ...supersede });
      await handle.result();
    },
    aborted: undefined,
  },
];

export function toldOutside(it: Scenario): void {
  const child = helper('child', [clientTool('look')]);
  const root = agent('root', [
    clientTool('pick'),
    gatedTool('send', () => 'sent'),
    subAgent(child),
  ]);
  const model = script({
    root: [call('pick', 'send', 'subagent__child'), say('done')],
    child: [call('look'), finish('here')],
  });

  describe('streams, usage and logs of human calls', () => {
    it('logs each call that is opened, answered, refused, expired and cancelled', async (world) => {
      const asking = world.process({ model, agents: [root] });
      const open = waiting(await runOnce(asking, root, 's'));
      const { runId } = await world.session('s');
      const rows = await world.calls('s');
      for (const { toolCallId, toolName, deadlineAt } of rows) {
        const told = find(asking, 'client_tool.suspended', { toolCallId });
        expect(told, toolName).toMatchObject({
          level: 'debug',
          data: { sessionId: 's', toolName, deadlineAt },
        });
        const runs = await Promise.all(['s', 's-sub-1-2'].map((id) => world.session(id)));
        expect(runs.map((one) => one.runId)).toContain(Reflect.get(told?.data ?? {}, 'runId'));
      }
      const status = 'suspended_client_tool';
      expect(find(asking, 'agent.suspended', { sessionId: 's' })).toEqual({
        level: 'info',
        name: 'agent.suspended',
        data: { sessionId: 's', runId, status },
      });

      const desk = world.process({ model, agents: [root] });
      await answer(desk, 's', 'pick', 'red');
      await answer(desk, 's', 'pick', 'blue');
      expect(desk.events.filter((one) => one.name === 'client_tool.submitted')).toEqual([
        {
          level: 'debug',
          name: 'client_tool.submitted',
          data: { sessionId: 's', toolCallId: 'pick', hasError: false },
        },
      ]);
      await answer(desk, 's', 'nothing', 1);
      await answer(desk, 'nobody', 'pick', 1);
      expect(desk.events.filter((one) => one.name === 'client_tool.submit_unknown')).toEqual([
        unknown('s', 'nothing', 'ownership_missing_toolcall', 'call_not_found'),
        unknown('nobody', 'pick', 'root_state_not_found', 'session_not_found'),
      ]);

      const look = open.find((id) => id.startsWith('look')) as string;
      const deadlineAt = rows.find((row) => row.toolCallId === look)?.deadlineAt;
      await world.clock.skip(5 * MINUTE + 1_000);
      await desk.executor.sweep();
      expect(find(desk, 'client_tool.timeout', { toolCallId: look })).toEqual({
        level: 'warn',
        name: 'client_tool.timeout',
        data: { sessionId: 's', toolCallId: look, deadlineAt },
      });
      await desk.executor.interrupt('s');
      expect(find(desk, 'client_tool.aborted', { toolCallId: 'send' })).toEqual({
        level: 'warn',
        name: 'client_tool.aborted',
        data: { sessionId: 's', toolCallId: 'send', toolName: 'send' },
      });

      const last = world.process({ model, agents: [root] });
      expect(await resumeOnce(last, 's')).toEqual(DONE);
      const resumed = await world.session('s');
      expect(find(last, 'agent.resumed', { sessionId: 's' })).toEqual({
        level: 'info',
        name: 'agent.resumed',
        data: { sessionId: 's', runId: resumed.runId, previousRunId: runId },
      });
    });

    it('says what a run waits for as its commit left it, also when answers come before it is said', async (world) => {
      const told: HookPayloads['onAgentSuspended'][] = [];
      const hooks: AgentHooks = {
        onAgentSuspended: (payload, { sessionId }) => {
          if (sessionId === 's') told.push(payload);
        },
      };
      const open = new Set<string>();
      const fast = world.process({
        model,
        agents: [root],
        hooks,
        after: async (_method, plan) => {
          if (!plan || !setsStatus('suspended', 's')(plan)) return;
          const desk = world.process({ model, agents: [root] });
          const { items } = await desk.executor.listOpenCalls();
          // A repeated operation gets here twice.
          for (const { toolCallId } of items) open.add(toolCallId);
          for (const { toolCallId } of items)
            await desk.executor.cancelOpenCall({ sessionId: 's', toolCallId });
        },
      });
      expect(await runOnce(fast, root, 's')).toMatchObject({ status: 'suspended_client_tool' });
      await until('it is told', () => told.length > 0);
      const { runId } = await world.session('s');
      expect(told[0]).toMatchObject({
        sessionId: 's',
        runId,
        reason: 'client_tool',
        status: 'suspended_client_tool',
      });
      expect(open.size).toBe(3);
      expect(new Set(told[0]?.toolCallIds)).toEqual(open);
    });

    it('measures how long people took, once per call, and counts what nobody answered', async (world) => {
      const open = waiting(await runOnce(world.process({ model, agents: [root] }), root, 's'));
      const look = open.find((id) => id.startsWith('look')) as string;
      const desk = world.process({ model, agents: [root] });
      await world.clock.skip(10_000);
      await decide(desk, 's', 'send', true);
      await world.clock.skip(10_000);
      await desk.executor.cancelOpenCall({ sessionId: 's', toolCallId: look });
      await world.clock.skip(5 * MINUTE);
      await desk.executor.sweep();
      await world.clock.skip(60 * MINUTE);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      const entries = [
        ...(await world.usage.getEntries('s')),
        ...(await world.usage.getEntries('s-sub-1-2')),
      ];
      // What was skipped, of an expired call up to its deadline, and less than a minute of real time.
      const skipped: { readonly [name: string]: number } = { look: 20, pick: 300, send: 10 };
      const waits = entries
        .filter((one) => one.kind === 'custom' && one.source.type === 'client_tool_wait_ms')
        .map(({ source, data }): [string, number] => [
          source.name,
          Math.floor(((data['value'] as number) / 1_000 - (skipped[source.name] ?? 0)) / 60),
        ]);
      expect(waits.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
        ['look', 0],
        ['pick', 0],
        ['send', 0],
      ]);
      const { custom, toolStats } = await world.usage.getRollup('s');
      expect(custom).toMatchObject({ client_tool_timeout: 1, client_tool_abort: 1 });
      expect(toolStats, 'and __finish__ of the child').toEqual({ totalCalls: 4, failedCalls: 2 });
    });

    for (const { way, close, aborted } of CLOSES) {
      it(`counts each call once when ${way} closes it`, async (world) => {
        const fresh = (): Process => world.process({ model, agents: [root] });
        await runOnce(fresh(), root, 's');
        await close(fresh(), root);
        await fresh().executor.sweep();
        const entries = [
          ...(await world.usage.getEntries('s')),
          ...(await world.usage.getEntries('s-sub-1-2')),
        ];
        const counted = (type: string): readonly string[] =>
          entries
            .filter((one) => one.source.type === type && one.source.name !== '__finish__')
            .map((one) => one.source.name)
            .toSorted();
        expect(counted('tool')).toEqual(['look', 'pick', 'send']);
        expect(counted('client_tool_wait_ms')).toEqual(['look', 'pick', 'send']);
        const { custom } = await world.usage.getRollup('s');
        expect(custom['client_tool_abort']).toBe(aborted);
      });
    }

    it('tells the model in the words of the application', async (world) => {
      const tools = [
        clientTool('a', { clientToolTimeoutMs: MINUTE }),
        clientTool('b'),
        clientTool('c'),
      ];
      const asking = agent('root', tools);
      const talk = script({ root: [call('a', 'b', 'c'), say('done')] });
      const running = {
        model: talk,
        agents: [asking],
        describeError: (code: string): string => `auf Deutsch: ${code}`,
      };
      await runOnce(world.process(running), asking, 's');
      const desk = world.process(running);
      await desk.executor.cancelOpenCall({ sessionId: 's', toolCallId: 'b' });
      const failed = { kind: 'client-tool-result', sessionId: 's', toolCallId: 'c' } as const;
      await desk.executor.submitToolResult({ ...failed, error: 'disposed' });
      await world.clock.skip(MINUTE + 1);
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      const codes = ['client_tool_timeout', 'aborted', 'disposed'];
      expect(await world.results('s')).toEqual(codes.map((code) => `Error: auf Deutsch: ${code}`));
      const shown = talk.calls.at(-1)?.messages.filter((one) => one.role === 'tool');
      expect(shown?.map((one) => one.content)).toEqual(await world.results('s'));
    });

    it('tells the model of denials and lost calls in the words of the application', async (world) => {
      const lost = serverTool('lost', () => held.pass(), { execution: 'once' });
      const gate = gatedTool('gate', () => 'open');
      const asking = agent('root', [gate, clientTool('pick'), lost]);
      const german: { [code: string]: string } = {
        tool_approval_denied: 'Abgelehnt',
        call_superseded: 'Überholt',
        tool_outcome_unknown: 'Unklar',
        tool_not_executed: 'Nicht ausgeführt',
      };
      const held = barrier();
      const calls = [use('gate', {}, 'no'), use('gate', {}, 'yes'), use('pick')];
      const talk = script({ root: [call(...calls), call('lost'), say('done')] });
      const running = {
        model: talk,
        agents: [asking],
        describeError: (code: string): string => german[code] ?? code,
      };
      const first = world.process(running);
      await runOnce(first, asking, 's');
      const decision = { kind: 'approval-response', sessionId: 's' } as const;
      const no = { ...decision, toolCallId: 'no', approved: false, reason: 'zu teuer' };
      await first.executor.submitToolResult(no);
      await first.executor.submitToolResult({ ...decision, toolCallId: 'yes', approved: true });
      const next = await first.executor.execute(asking, 'stop', {
        sessionId: 's',
        onMessageWhileSuspended: 'supersede',
      });
      await held.reached;
      await first.executor.abort('s');
      held.open();
      await next.result();
      expect(await world.results('s')).toEqual([
        'Error: Abgelehnt: zu teuer',
        'Error: Nicht ausgeführt',
        'Error: Überholt',
        'Error: Unklar',
      ]);
    });

    it('tells the model in English where the words of the application fail, and says so once', async (world) => {
      const asking = agent('root', [clientTool('a'), clientTool('b'), clientTool('c')]);
      const talk = script({ root: [call('a', 'b', 'c'), say('done')] });
      const running = {
        model: talk,
        agents: [asking],
        describeError: (code: string): string => {
          if (code === 'aborted') throw new Error('no such text');
          return undefined as unknown as string;
        },
      };
      await runOnce(world.process(running), asking, 's');
      const desk = world.process(running);
      await desk.executor.cancelOpenCall({ sessionId: 's', toolCallId: 'a' });
      const failed = { kind: 'client-tool-result', sessionId: 's' } as const;
      for (const toolCallId of ['b', 'c'])
        await desk.executor.submitToolResult({ ...failed, toolCallId, error: 'disposed' });
      const last = world.process(running);
      expect(await resumeOnce(last, 's')).toEqual(DONE);
      const texts = ['aborted', 'disposed', 'disposed'].map(humanizeClientToolError);
      expect(await world.results('s')).toEqual(texts.map((text) => `Error: ${text}`));
      expect(last.events.filter((one) => one.name === 'client_tool.describe_failed')).toEqual([
        {
          level: 'error',
          name: 'client_tool.describe_failed',
          data: { code: 'aborted', error: 'no such text' },
        },
      ]);
    });

    it('warns once when it cannot check results because it does not know the agent', async (world) => {
      const asking = agent('root', [clientTool('pick')]);
      const talk = script({
        root: [call(use('pick', {}, 'a'), use('pick', {}, 'b')), say('done')],
      });
      await runOnce(world.process({ model: talk, agents: [asking] }), asking, 's');
      const stranger = world.process({ model: talk, agents: [] });
      for (const id of ['a', 'b'])
        expect(await answer(stranger, 's', id, 1)).toEqual({ status: 'accepted' });
      const told = stranger.events.filter((one) => one.name === 'client_tool.unvalidated');
      expect(told).toMatchObject([
        { level: 'warn', data: { agentType: 'root', toolName: 'pick' } },
      ]);
      expect(await resumeOnce(world.process({ model: talk, agents: [asking] }), 's')).toEqual(DONE);
    });
  });
}

function find({ events }: Process, name: string, fields: object): LoggedEvent | undefined {
  const wanted = Object.entries(fields);
  return events.find(
    (one) =>
      one.name === name && wanted.every(([key, value]) => Reflect.get(one.data, key) === value),
  );
}

function unknown(
  sessionId: string,
  toolCallId: string,
  reason: string,
  detail: string,
): LoggedEvent {
  const data = { sessionId, toolCallId, reason, detail };
  return { level: 'warn', name: 'client_tool.submit_unknown', data };
}
