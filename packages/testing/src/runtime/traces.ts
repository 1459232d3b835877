// If this fails: a trace breaks where a session waits for a person, changes its process or asks a sub-agent; or work is shown
// twice, at the wrong time, or not at all.
import {
  callSpanId,
  HelixError,
  type AgentHooks,
  type HookContext,
  type HookPayloads,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, serverTool, subAgent } from './definitions.ts';
import type { ProcessOptions } from './process.ts';
import { call, finish, say, script } from './script.ts';
import { barrier, heldUntilStopped, until } from './waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const GIVEN = `00-${TRACE}-b7ad6b7169203331-01`;
const RESUMED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

type Settled = HookPayloads['onCallSettled'];
type Ended = HookPayloads['onRunEnded'];
type Facts = Pick<HookContext, 'sessionId' | 'run' | 'turn' | 'trace' | 'parent' | 'rootId'>;

interface Heard {
  readonly hooks: AgentHooks;
  /** One entry for each run that told it: a host may repeat an operation. */
  readonly calls: Map<string, Settled & { readonly in: Facts }>;
  readonly runs: Map<string, Ended & { readonly in: Facts }>;
}

function listen(): Heard {
  const calls: Heard['calls'] = new Map();
  const runs: Heard['runs'] = new Map();
  const hooks: AgentHooks = {
    onCallSettled: (payload, context) =>
      void calls.set(`${payload.toolCallId} in ${context.run}`, { ...payload, in: context }),
    onRunEnded: (payload, context) =>
      void runs.set(`${context.agentType} ${context.run}`, { ...payload, in: context }),
  };
  return { hooks, calls, runs };
}

export function traces(it: Scenario): void {
  describe('what a trace is made of', () => {
    keepsItsTrace(it);
    tellsEachCallOnce(it);
    tellsEachEnd(it);
    wrapsTheWork(it);
  });
}

function keepsItsTrace(it: Scenario): void {
  it('TRC-01 a turn keeps the trace it was given, in every process, its tools and its sub-agents', async (world) => {
    const { hooks, runs } = listen();
    const sent: string[] = [];
    const child = helper('child', [clientTool('pick')]);
    const ask = serverTool('ask', (_, { traceparent }) => void sent.push(traceparent));
    const root = agent('root', [ask, subAgent(child)]);
    const model = script({
      root: [call('ask', 'subagent__child'), say('done'), say('done')],
      child: [call('pick'), finish('here')],
    });
    const running: ProcessOptions = { model, agents: [root], hooks };
    const options = { sessionId: 's', traceparent: GIVEN, tracestate: 'a=b' };
    const first = await world.process(running).executor.execute(root, 'go', options);
    const [pick] = waiting(await first.result());
    const below = (index: number): string => `00-${TRACE}-${callSpanId('s', 1, index)}-01`;
    expect(sent[0]).toBe(below(0));
    const [, made] = await world.sessions();
    expect(made?.metadata).toEqual({ traceparent: below(1), tracestate: 'a=b' });
    await answer(world.process(running), 's', pick as string, 'red');
    const resumed = await world.process(running).executor.resume('s', { traceparent: RESUMED });
    expect(await resumed.result()).toEqual(DONE);
    const trace = { traceparent: GIVEN, tracestate: 'a=b' };
    expect(runs.get('root 1')?.in.trace).toEqual(trace);
    expect(runs.get('root 2')?.in.trace).toEqual({ ...trace, tracelink: RESUMED });
    expect(runs.get('child 2')?.in).toMatchObject({
      rootId: 's',
      parent: { sessionId: 's', stepId: 1, index: 1 },
      trace: { traceparent: below(1) },
    });
    const next = await world.process(running).executor.execute(root, 'more', { sessionId: 's' });
    expect(await next.result()).toEqual(DONE);
    expect(runs.get('root 3')?.in).toMatchObject({ turn: 2, trace: {} });
    expect((await world.session('s')).metadata).toEqual({});
  });

  it('TRC-01 a traceparent that is none is refused, and so is one in the metadata', async (world) => {
    const root = agent('root', []);
    const { executor } = world.process({ model: script({}), agents: [root] });
    for (const traceparent of [
      '',
      'x',
      `${GIVEN}-1`,
      GIVEN.replace(/b7.*1-/, `${'0'.repeat(16)}-`),
    ])
      await expect(executor.execute(root, 'go', { traceparent })).rejects.toThrow(/traceparent/);
    await expect(executor.execute(root, 'go', { tracestate: 'a=b' })).rejects.toThrow(/tracestate/);
    const metadata = { traceparent: GIVEN };
    await expect(executor.execute(root, 'go', { metadata })).rejects.toThrow(/option/);
  });
}

function tellsEachCallOnce(it: Scenario): void {
  it('TRC-02 tells of each call once, in the run that took it in, with the times of its work and its wait', async (world) => {
    const { hooks, calls } = listen();
    const look = serverTool('look', () => 'seen');
    const send = gatedTool('send', () => 'sent');
    const drop = gatedTool('drop', () => 'never');
    const root = agent('root', [look, send, drop, clientTool('pick')]);
    const model = script({ root: [call('look', 'send', 'drop', 'pick'), say('done')] });
    const running: ProcessOptions = { model, agents: [root], hooks };
    await runOnce(world.process(running), root, 's');
    expect([...calls.keys()], 'when it suspends').toEqual(['look in 1']);
    await world.clock.skip(60_000);
    await decide(world.process(running), 's', 'drop', false);
    await resumeOnce(world.process(running), 's');
    await world.clock.skip(60_000);
    await decide(world.process(running), 's', 'send', true);
    await answer(world.process(running), 's', 'pick', 'red');
    expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
    expect([...calls.keys()]).toEqual(['look in 1', 'drop in 2', 'send in 3', 'pick in 3']);
    const told = [...calls.values()];
    for (const one of told) expect(one).toMatchObject({ plannedIn: 1, stepId: 1, input: {} });
    const [saw, dropped, sent, picked] = told;
    expect(saw).toMatchObject({ kind: 'server', index: 0, outcome: { value: 'seen' } });
    expect(saw?.endedAt).toBeLessThan((saw?.plannedAt ?? 0) + 60_000);
    expect(saw?.wait).toBeUndefined();
    expect(dropped?.startedAt).toBeUndefined();
    expect(dropped?.wait).toMatchObject({ kind: 'approval', outcome: 'denied' });
    expect(sent?.wait).toMatchObject({ kind: 'approval', outcome: 'approved' });
    expect(picked?.wait).toMatchObject({ kind: 'client', outcome: 'answered' });
    expect(waited(dropped)).toBeGreaterThanOrEqual(60_000);
    expect(waited(sent)).toBeGreaterThanOrEqual(120_000);
    expect(sent?.startedAt).toBeGreaterThanOrEqual(sent?.wait?.answeredAt ?? Infinity);
  });
}

function waited(told: Settled | undefined): number {
  return (told?.wait?.answeredAt ?? 0) - (told?.wait?.openedAt ?? 0);
}

function tellsEachEnd(it: Scenario): void {
  it('TRC-03 tells of the end of every run, also of one that was stopped', async (world) => {
    const { hooks, runs, calls } = listen();
    const held = barrier();
    const slow = serverTool('slow', (_, context) => heldUntilStopped(held, context));
    const root = agent('root', [serverTool('quick', () => 1), slow]);
    const model = script({ root: [call('quick', 'slow'), say('done')] });
    const running: ProcessOptions = { model, agents: [root], hooks };
    const first = world.process(running);
    const handle = await first.executor.execute(root, 'go', { sessionId: 's' });
    await held.reached;
    await until('quick has its result', async () =>
      (await world.step('s')).journal.some((row) => row.kind === 'result'),
    );
    await first.executor.interrupt('s', 'lunch');
    expect(await handle.result()).toEqual({ status: 'interrupted' });
    await until('the hook has fired', () => runs.has('root 1'));
    expect(runs.get('root 1')).toMatchObject({
      status: 'interrupted',
      reason: 'lunch',
      firstRun: 1,
    });
    expect([...calls.keys()]).toEqual(['quick in 1']);
    held.open();
    expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
    expect([...calls.keys()]).toEqual(['quick in 1', 'slow in 2']);
    expect(runs.get('root 2')).toMatchObject({
      ...DONE,
      trigger: 'resume',
      firstRun: 1,
      in: { turn: 1, run: 2 },
    });
  });
}

function wrapsTheWork(it: Scenario): void {
  it('TRC-04 does model calls and tools inside of wrappers, which change nothing, whatever they do', async (world) => {
    const inside: string[] = [];
    const outcomes = new Set<string>();
    const wrappers: AgentHooks = {
      aroundModelCall: async ({ attempt }, work, { stepId }) => {
        inside.push('model');
        const { status } = await work();
        outcomes.add(`step ${stepId} attempt ${attempt} ${status}`);
        return 'ignored';
      },
      aroundTool: async ({ toolName }, work) => {
        inside.push(toolName);
        const { status } = await work();
        outcomes.add(`${toolName} ${status}`);
        throw new Error('after the work');
      },
    };
    const broken: AgentHooks = {
      aroundModelCall: () => {
        throw new Error('before the work');
      },
      aroundTool: () => 'without the work',
    };
    const left = ['busy'];
    const work = serverTool('work', () => (inside.includes('work') ? 'inside' : 'outside'));
    const bad = serverTool('bad', () => {
      throw new Error('no');
    });
    const root = agent('root', [work, bad], { hooks: broken });
    const model = script({
      root: [
        () => {
          const message = left.shift();
          if (message === undefined) return call('work', 'bad');
          const busy = new HelixError({ code: 'provider_rate_limited', message });
          throw Object.assign(busy, { retryAfterMs: 0 });
        },
        say('done'),
      ],
    });
    const process = world.process({ model, agents: [root], hooks: wrappers });
    expect(await runOnce(process, root, 's')).toEqual(DONE);
    const [said, failed] = await world.results('s');
    expect(said).toBe('inside');
    expect(failed).toContain('no');
    expect([...outcomes]).toEqual(
      expect.arrayContaining([
        'step 1 attempt 1 failed',
        'step 1 attempt 2 answered',
        'work ended',
        'bad threw',
      ]),
    );
    expect(process.log).toContain('hook.failed');
  });
}
