// If this fails: what an application hangs onto a call (an audit, a bill, a trace) happens in another order after a
// resume, in another runtime, or for a call that never ran.
import type { AgentHooks, HookContext } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import {
  agent,
  clientTool,
  gatedTool,
  helper,
  serverTool,
  state,
  subAgent,
} from '../definitions.ts';
import { LEASE_MS, type ProcessOptions } from '../process.ts';
import { onFirst, setsStatus } from '../plan-kinds.ts';
import { call, finish, say, script, use } from '../script.ts';
import { barrier, until } from '../waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';
import { hookLog } from './hook-log.ts';

const DONE = { status: 'completed', output: 'done' };
const MINUTE = 60_000;
const ENDS = ['onMessage', 'afterTool', 'onCallSettled'];
const WHOLE = ['beforeTool', 'execute', 'onStateChange', ...ENDS];

export function hooksFireInOrder(it: Scenario): void {
  describe('the order of hooks', () => {
    it('RES-07 keeps the order of each call while tools run side by side', async (world) => {
      const log = hookLog();
      const held = new Map(['a', 'b', 'c'].map((id) => [id, barrier()]));
      const write = serverTool('write', async (_, context) => {
        const { toolCallId } = context;
        await held.get(toolCallId)?.pass();
        log.note('execute', toolCallId, 'root');
        context.updateState<{ list: string[] }>((draft) => void draft.list.push(toolCallId));
      });
      const root = agent('root', [write], { stateSchema: state({ list: [] }), hooks: log.hooks });
      const calls = [...held.keys()].map((id) => use('write', {}, id));
      const model = script({ root: [call(...calls), say('done')] });
      const ended = runOnce(world.process({ model, agents: [root] }), root, 's');
      for (const id of ['c', 'a', 'b']) {
        await held.get(id)?.reached;
        held.get(id)?.open();
        await until(`${id} has ended`, async () =>
          (await world.chunksOf('s', 'tool_end')).some((chunk) => chunk.toolCallId === id),
        );
      }
      expect(await ended).toEqual(DONE);
      for (const id of ['a', 'b', 'c']) expect(log.of({ about: id })).toEqual(WHOLE);
      const step = log.fired().filter((one) => held.has(one.about));
      expect(
        step.slice(-9).map((one) => `${one.name} ${one.about}`),
        'in call order',
      ).toEqual(['a', 'b', 'c'].flatMap((id) => ENDS.map((name) => `${name} ${id}`)));
      expect((await world.session('s')).customState).toEqual({ list: ['a', 'b', 'c'] });
    });

    it('RES-07 fires what fits how a call ended: approved, denied, expired, failed, answered', async (world) => {
      const log = hookLog();
      const times = new Map<string, Times>();
      const gate = { approvalTimeoutMs: MINUTE };
      const tool = (name: string): ReturnType<typeof gatedTool> =>
        gatedTool(
          name,
          (_, context) => {
            const { toolCallId } = context;
            log.note('execute', toolCallId, 'root');
            context.updateState<{ done: number }>((draft) => {
              draft.done += 1;
            });
          },
          gate,
        );
      const failing = serverTool('failing', (_, { toolCallId }) => {
        log.note('execute', toolCallId, 'root');
        throw new Error('no');
      });
      const names = ['approved', 'denied', 'expired'];
      const root = agent(
        'root',
        [...names.map(tool), failing, clientTool('answered'), clientTool('refused')],
        { stateSchema: state({ done: 0 }), hooks: timesInto(times) },
      );
      const all = [...names, 'failing', 'answered', 'refused'];
      const model = script({ root: [call(...all), say('done')] });
      const running: ProcessOptions = { model, agents: [root], hooks: log.hooks };
      await runOnce(world.process(running), root, 's');
      const desk = world.process(running);
      await decide(desk, 's', 'approved', true);
      await decide(desk, 's', 'denied', false);
      await answer(desk, 's', 'answered', 'red');
      const refused = {
        kind: 'client-tool-result',
        sessionId: 's',
        toolCallId: 'refused',
      } as const;
      await desk.executor.submitToolResult({ ...refused, error: 'no' });
      await world.clock.skip(MINUTE + 1);
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(Object.fromEntries(all.map((id) => [id, log.of({ about: id })]))).toEqual({
        approved: WHOLE,
        denied: ['onMessage', 'onCallSettled'],
        expired: ENDS,
        failing: ['beforeTool', 'execute', 'onCallSettled', 'onMessage', 'afterTool'],
        answered: ENDS,
        refused: ENDS,
      });
      expectTimes(times);
      const taken = log
        .fired()
        .filter((one) => one.name === 'onMessage' && all.includes(one.about));
      expect(
        taken.map((one) => one.about),
        'in call order',
      ).toEqual(all);
    });

    it('puts the hooks of a sub-agent between those around it, over two runs', async (world) => {
      const log = hookLog();
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('here')],
      });
      const running: ProcessOptions = { model, agents: [root], hooks: log.hooks };
      const [pick] = waiting(await runOnce(world.process(running), root, 's'));
      await answer(world.process(running), 's', pick as string, 'red');
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(log.of({ about: 'subagent__child' })).toEqual([
        'beforeSubAgent',
        'onMessage',
        'afterSubAgent',
        'onCallSettled',
      ]);
      const about = log.fired().map((one) => `${one.agentType} ${one.name}`);
      const started = about.indexOf('root beforeSubAgent');
      const ended = about.indexOf('root afterSubAgent');
      const inChild = about.flatMap((one, at) => (one.startsWith('child ') ? [at] : []));
      expect(Math.min(...inChild)).toBeGreaterThan(started);
      expect(Math.max(...inChild)).toBeLessThan(ended);
      const runHooks = about.filter((one) => / on(?:Agent)/.test(one));
      expect(runHooks).toEqual([
        'root onAgentStart',
        'child onAgentStart',
        'child onAgentSuspended',
        'root onAgentSuspended',
        'root onAgentResumed',
        'child onAgentResumed',
        'child onAgentComplete',
        'root onAgentComplete',
      ]);
    });

    it('asks the executor first, then the agent, then the call', async (world) => {
      const order: string[] = [];
      const named = (name: string): AgentHooks => ({
        onAgentStart: (_, { agentType }) => void order.push(`${agentType} start ${name}`),
        beforeTool: (_, { agentType }) => void order.push(`${agentType} tool ${name}`),
        onAgentSuspended: (_, { agentType }) => void order.push(`${agentType} wait ${name}`),
        onAgentResumed: (_, { agentType }) => void order.push(`${agentType} resume ${name}`),
      });
      const child = helper('child', [], { hooks: named('of child') });
      const root = agent(
        'root',
        [serverTool('work', () => 1), clientTool('pick'), subAgent(child)],
        {
          hooks: named('of root'),
        },
      );
      const model = script({
        root: [call('work'), call('subagent__child', 'pick'), say('done')],
        child: [finish('here')],
      });
      const running: ProcessOptions = { model, agents: [root], hooks: named('of executor') };
      const first = world.process(running);
      const handle = await first.executor.execute(root, 'go', {
        sessionId: 's',
        hooks: named('of call'),
        hookManager: { hooks: [named('of manager')] },
      });
      await handle.result();
      await answer(first, 's', 'pick', 'red');
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      const all = ['of executor', 'of root', 'of call', 'of manager'];
      const of = (what: string): string[] => [
        ...new Set(
          order.filter((one) => one.startsWith(what)).map((one) => one.slice(what.length + 1)),
        ),
      ];
      expect(of('root start')).toEqual(all);
      expect(of('root tool')).toEqual(all);
      expect(of('root wait')).toEqual(all);
      expect(of('root resume'), 'the call was in another process').toEqual(all.slice(0, 2));
      expect(of('child start')).toEqual(['of executor', 'of child']);
    });

    it('tells an application once that a run began, not again when it is taken over', async (world) => {
      const began: string[] = [];
      const hooks: AgentHooks = {
        onAgentStart: ({ input }, { epoch }) => void began.push(`start ${input.length} ${epoch}`),
        onAgentResumed: (_, { epoch }) => void began.push(`resumed ${epoch}`),
      };
      const held = barrier();
      const root = agent('root', [serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('slow'), say('done')] });
      const running: ProcessOptions = { model, agents: [root], hooks };
      const first = world.process(running);
      await first.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      first.kill();
      held.open();
      await world.clock.skip(LEASE_MS + 1);
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect([...new Set(began)]).toEqual(['start 1 1']);
    });

    it.leased(
      'tells an application once that a run began, not again when it was given back',
      async (world) => {
        const log: string[] = [];
        const note =
          (what: string) =>
          (_: unknown, { agentType, epoch }: HookContext): void =>
            void log.push(`${agentType} ${what} ${epoch}`);
        const hooks: AgentHooks = {
          onAgentStart: note('start'),
          onAgentResumed: note('resumed'),
          onAgentComplete: note('complete'),
        };
        const held = [barrier(), barrier(), barrier()];
        const steps = held.values();
        const slow = serverTool('slow', () => steps.next().value?.pass());
        const child = helper('child', [slow]);
        const root = agent('root', [clientTool('pick'), subAgent(child), slow]);
        const model = script({
          root: [call('slow'), call('pick'), call('subagent__child'), say('done')],
          child: [call('slow'), call('slow'), finish('here')],
        });
        const running: ProcessOptions = { model, agents: [root], hooks };
        let process = world.process(running);
        const giveBack = async (at: number): Promise<void> => {
          await held[at]?.reached;
          const given = process.executor.shutdown({ graceMs: MINUTE });
          held[at]?.open();
          await given;
          process = world.process(running);
        };
        await process.executor.execute(root, 'go', { sessionId: 's' });
        await giveBack(0);
        await resumeOnce(process, 's');
        await answer(process, 's', 'pick', 'red');
        process = world.process(running);
        const { events } = process;
        await process.executor.resume('s');
        await giveBack(1);
        await process.executor.resume('s');
        await giveBack(2);
        expect(await resumeOnce(process, 's')).toEqual(DONE);
        expect([...new Set(log)]).toEqual([
          'root start 1',
          'root resumed 3',
          'child start 1',
          'child complete 3',
          'root complete 5',
        ]);
        const resumed = [...events, ...process.events].filter(
          ({ name }) => name === 'agent.resumed',
        );
        expect(new Set(resumed.map(({ data }) => JSON.stringify(data))).size).toBe(1);
      },
    );

    it('K10 leaves a suspension as it is when its process died before the hooks after it', async (world) => {
      const log = hookLog();
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      const running: ProcessOptions = { model, agents: [root], hooks: log.hooks };
      const first = world.process({
        ...running,
        after: onFirst(setsStatus('suspended'), () => first.kill()),
      });
      void first.executor.execute(root, 'go', { sessionId: 's' });
      await until('it waits', async () => {
        const [session] = await world.sessions();
        return session?.status === 'suspended_client_tool';
      });
      expect(log.of({ name: 'onAgentSuspended' })).toEqual([]);
      const second = world.process(running);
      expect(await answer(second, 's', 'pick', 'red')).toEqual({ status: 'accepted' });
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(log.of({ about: 'pick' })).toEqual(ENDS);
      expect(await world.results('s')).toEqual(['red']);
      const marks = (await world.chunks('s')).map(({ chunk }) => chunk.type);
      expect(marks.filter((type) => type === 'run_suspended')).toHaveLength(1);
    });
  });
}

interface Times {
  readonly rootId: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

function timesInto(times: Map<string, Times>): AgentHooks {
  return {
    afterTool: ({ toolCallId, startedAt, endedAt }, { rootId }) => {
      const ran = startedAt === undefined || endedAt === undefined ? {} : { startedAt, endedAt };
      times.set(toolCallId, { rootId, ...ran });
    },
  };
}

/** One tool ran before the wait of a minute, one after it: both are reported after it, with the times at which they ran. */
function expectTimes(times: ReadonlyMap<string, Times>): void {
  for (const asked of ['expired', 'answered', 'refused'])
    expect(times.get(asked), `${asked}: no tool was started`).toEqual({ rootId: 's' });
  const { startedAt = 0, endedAt = 0 } = times.get('failing') ?? {};
  expect(startedAt).toBeGreaterThan(0);
  expect(endedAt).toBeGreaterThanOrEqual(startedAt);
  expect((times.get('approved')?.startedAt ?? 0) - endedAt).toBeGreaterThanOrEqual(MINUTE);
}
