import type { Host, LoopOutcome, LoopRun, PlanEntry, StartedChild } from '@helix-agents/core/host';
import { runSession } from '@helix-agents/core/host';
import { expect, it } from 'vitest';
import { replayHost } from '../src/index.ts';

const run: LoopRun = {
  rootId: 's',
  sessionId: 's',
  runId: 'r',
  epoch: 1,
  agentType: 'root',
  loopVersion: 1,
};
const entry: PlanEntry = {
  index: 0,
  callId: 'c',
  class: 'server',
  timeoutMs: null,
  execution: 'retry',
};
const done = { ok: true } as const;

interface AskedHost {
  readonly host: Host;
  readonly asked: string[];
}

/** A host of a run with one wave; notes what it is asked for. Each call ends when `ends` lets it. */
function hostOf(
  calls: readonly PlanEntry[] = [entry],
  ends: (name: string) => Promise<void> = () => Promise.resolve(),
): AskedHost {
  const asked: string[] = [];
  const answer = async <T>(name: string, value: T): Promise<T> => {
    asked.push(name);
    await ends(name);
    return value;
  };
  const started = (index: number): StartedChild => {
    const sessionId = `child-${index}`;
    return { ok: true, kind: 'run', run: { ...run, sessionId }, usedMs: 0 };
  };
  const host: Host = {
    begin: () => answer('begin', done),
    settle: () => {
      const next = asked.includes('settle') ? 'end' : 'think';
      return answer('settle', { ...done, next });
    },
    think: () => answer('think', { ...done, calls }),
    tool: (_run, { index }) => answer(`tool ${index}`, done),
    startChild: (_run, index) => answer(`startChild ${index}`, started(index)),
    runChild: (_run, index) => answer(`runChild ${index}`, { kind: 'ended' }),
    collectChild: (_run, index) => answer(`collectChild ${index}`, done),
    giveUpChild: (_run, index) => answer(`giveUpChild ${index}`, done),
    fail: (_run, { message }) => answer(`fail: ${message}`, undefined),
    handover: () => answer('handover', done),
    end: () => answer('end', { status: 'completed' }),
    pause: () => answer('pause', undefined),
    startTimer: (ms) => ({
      fired: answer(`timer ${ms}`, false),
      cancel: () => void asked.push('cancel'),
    }),
    shouldYield: () => answer('shouldYield', false),
    describe: (error) => ({ code: 'run_failed', message: (error as Error).message }),
    warn: (event) => void asked.push(event),
  };
  return { host, asked };
}

function replay(host: Host, loop?: typeof runSession): Promise<LoopOutcome> {
  const { runLoop } = replayHost(loop);
  if (!runLoop) throw new Error('unreachable');
  return runLoop(host, run);
}

/** How often the real loop runs. */
function counted(): { readonly loop: typeof runSession; runs: number } {
  const counter = {
    runs: 0,
    loop: (host: Host, start: LoopRun): Promise<LoopOutcome> => {
      counter.runs += 1;
      return runSession(host, start);
    },
  };
  return counter;
}

it('replayHost performs each operation once, although the loop runs again after every one', async () => {
  const { host, asked } = hostOf();
  const counter = counted();
  expect(await replay(host, counter.loop)).toEqual({ status: 'completed' });
  expect(asked).toEqual(['begin', 'settle', 'think', 'tool 0', 'shouldYield', 'settle', 'end']);
  expect(counter.runs).toBe(asked.length + 1);
});

it('replayHost replays the children of a wave, each as far as it has come', async () => {
  const first: PlanEntry = { ...entry, class: 'subagent', timeoutMs: 500 };
  const second: PlanEntry = { ...entry, index: 1, callId: 'd', class: 'subagent' };
  const isCollected = Promise.withResolvers<void>();
  const { host, asked } = hostOf([first, second], async (name) => {
    if (name === 'runChild 0') await isCollected.promise;
    if (name === 'collectChild 1') isCollected.resolve();
  });
  const counter = counted();
  expect(await replay(host, counter.loop)).toEqual({ status: 'completed' });
  const wave = asked.slice(3, -3);
  expect(wave.toSorted()).toEqual([
    'cancel',
    'collectChild 0',
    'collectChild 1',
    'runChild 0',
    'runChild 1',
    'startChild 0',
    'startChild 1',
    'timer 500',
  ]);
  expect(wave.indexOf('timer 500')).toBeLessThan(wave.indexOf('runChild 0'));
  expect(wave.indexOf('collectChild 1')).toBeLessThan(wave.indexOf('collectChild 0'));
  expect(counter.runs).toBeGreaterThan(6);
});

it('replayHost fails a run whose loop asks for something else the second time', async () => {
  let runs = 0;
  const fickle: typeof runSession = async (host, start) => {
    runs += 1;
    await host.begin({ ...start, epoch: runs });
    return host.end(start);
  };
  const { host, asked } = hostOf();
  await replay(host, fickle);
  expect(asked[1]).toContain('fail: Replay went another way');
});

it('replayHost fails a run whose loop asks for less before the same result', async () => {
  let runs = 0;
  const lazy: typeof runSession = async (host, start) => {
    runs += 1;
    const tools = [entry, { ...entry, index: 1 }].slice(runs > 2 ? 1 : 0);
    await Promise.race(tools.toReversed().map((call) => host.tool(start, call)));
    return host.end(start);
  };
  const { host, asked } = hostOf();
  await replay(host, lazy);
  expect(asked.some((name) => name.startsWith('fail: Replay went another way'))).toBe(true);
});

it('replayHost fails a run whose loop ends before what it has done already', async () => {
  let runs = 0;
  const shrinking: typeof runSession = async (host, start) => {
    runs += 1;
    await host.begin(start);
    if (runs < 3) await host.settle(start);
    return { status: 'completed' };
  };
  const { host, asked } = hostOf();
  await replay(host, shrinking);
  expect(asked[2]).toContain('fail: Replay ended after 1 of 2');
});

it('replayHost fails a run when text, an unknown field or too much passes through the loop', async () => {
  const failureOf = async (calls: readonly PlanEntry[]): Promise<string | undefined> => {
    const { host, asked } = hostOf(calls);
    await replay(host);
    return asked.find((name) => name.startsWith('fail'));
  };
  const long = { ...entry, callId: 'x'.repeat(600) };
  expect(await failureOf([long])).toContain('only ids and enums may pass');
  const chatty = { ...entry, input: {} };
  expect(await failureOf([chatty])).toContain('holds "input"');
  const many = Array.from({ length: 400 }, () => entry);
  expect(await failureOf(many)).toContain('engines keep 16384');
});
