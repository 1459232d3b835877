import type { Host, LoopRun, PlanEntry, RunOutcome } from '@helix-agents/core';
import { runSession } from '@helix-agents/core';
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

/** A host of a run with one tool; counts what it is asked for. */
function hostOf(calls: readonly PlanEntry[] = [entry]): { host: Host; asked: string[] } {
  const asked: string[] = [];
  const done = { ok: true } as const;
  const host: Host = {
    begin: async () => (asked.push('begin'), done),
    settle: async () => {
      asked.push('settle');
      const settled = asked.filter((name) => name === 'settle').length;
      return { ...done, next: settled === 1 ? 'think' : 'end' };
    },
    think: async () => (asked.push('think'), { ...done, calls }),
    dispatch: async () => (asked.push('dispatch'), done),
    shouldYield: async () => (asked.push('shouldYield'), false),
    handover: async () => (asked.push('handover'), done),
    end: async () => (asked.push('end'), { status: 'completed' }),
  };
  return { host, asked };
}

function replay(host: Host, loop?: typeof runSession): Promise<RunOutcome> {
  const { runLoop } = replayHost(loop);
  if (!runLoop) throw new Error('unreachable');
  return runLoop(host, run);
}

it('performs each operation once, although the loop runs again after every one', async () => {
  const { host, asked } = hostOf();
  let runs = 0;
  const counted: typeof runSession = (given, start) => {
    runs += 1;
    return runSession(given, start);
  };
  expect(await replay(host, counted)).toEqual({ status: 'completed' });
  expect(asked).toEqual(['begin', 'settle', 'think', 'dispatch', 'shouldYield', 'settle', 'end']);
  expect(runs).toBe(asked.length + 1);
});

it('fails a loop that asks for something else the second time', async () => {
  let runs = 0;
  const fickle: typeof runSession = async (host, start) => {
    runs += 1;
    await host.begin({ ...start, epoch: runs });
    return host.end(start);
  };
  await expect(replay(hostOf().host, fickle)).rejects.toThrow('Replay went another way');
});

it('fails a loop that ends before what it has done already', async () => {
  let runs = 0;
  const shrinking: typeof runSession = async (host, start) => {
    runs += 1;
    await host.begin(start);
    if (runs < 3) await host.settle(start);
    return { status: 'completed' };
  };
  await expect(replay(hostOf().host, shrinking)).rejects.toThrow('Replay ended after 1 of 2');
});

it('fails when text, an unknown field or too much passes through the loop', async () => {
  const long = { ...entry, callId: 'x'.repeat(600) };
  await expect(replay(hostOf([long]).host)).rejects.toThrow('only ids and enums may pass');
  const chatty = { ...entry, input: {} };
  await expect(replay(hostOf([chatty]).host)).rejects.toThrow('holds "input"');
  const many = Array.from({ length: 400 }, () => entry);
  await expect(replay(hostOf(many).host)).rejects.toThrow('engines keep 16384');
});
