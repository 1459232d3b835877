// Processes whose clocks differ. If one of these fails, a process that is ahead closes questions early or takes live
// sessions from their owners. DEAD-04.
import { describeServer } from '@helix-agents/test-servers';
import { callRow, keyOf, messageRow, planFor, seed, sessionRow } from '@helix-agents/testing';
import { defineAgent, noopLogger, type StepResult } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { RedisStateStore } from '../src/index.ts';
import { openSpace } from './connections.ts';
import { openStores } from './stores.ts';

const MINUTE = 60_000;

interface Machine {
  readonly store: RedisStateStore['sessions'] & RedisStateStore['index'];
  /** Its own idea of the time. */
  readonly now: () => number;
}

/** Machines over one store whose clocks are off by so much. */
async function machines(...offsets: readonly number[]): Promise<Machine[]> {
  const space = await openSpace();
  const client = new Redis(space.url);
  onTestFinished(async () => {
    client.disconnect();
    await space.close();
  });
  return offsets.map((offset) => {
    const { sessions, index } = new RedisStateStore(client, {
      prefix: space.prefix,
      logger: noopLogger,
    });
    return { store: { ...sessions, ...index }, now: () => Date.now() + offset };
  });
}

function near(time: number | null | undefined, expected: number): void {
  expect(Math.abs((time ?? 0) - expected)).toBeLessThan(30_000);
}

describeServer('redis', () => {
  it('puts the times of a plan on the clock of the server', async () => {
    const [ahead] = (await machines(5 * MINUTE)) as [Machine];
    const now = ahead.now();
    const row = sessionRow({ createdAt: now, updatedAt: now, leaseUntil: now + MINUTE });
    const call = callRow('a', { openedAt: now, deadlineAt: now + 2 * MINUTE });
    const insert = {
      sessions: [row],
      calls: [call],
      messages: [messageRow(1, { createdAt: now })],
    };
    await ahead.store.commit({ ...planFor(row), now, guard: {}, sessions: [], insert });
    const stored = await ahead.store.readSession(row);
    near(stored?.updatedAt, Date.now());
    near(stored?.leaseUntil, Date.now() + MINUTE);
    const [found] = await ahead.store.readCalls('s1');
    near(found?.openedAt, Date.now());
    expect(found!.deadlineAt! - found!.openedAt, 'durations stay').toBe(2 * MINUTE);
    near((await ahead.store.readMessages(row))[0]?.createdAt, Date.now());
  });

  it('keeps a deadline for everybody, whatever their clocks say', async () => {
    const [right, ahead, behind] = (await machines(0, 5 * MINUTE, -5 * MINUTE)) as [
      Machine,
      Machine,
      Machine,
    ];
    const now = right.now();
    const row = sessionRow({ status: 'suspended_client_tool' });
    const calls = [
      callRow('open', { deadlineAt: now + MINUTE }),
      callRow('late', { deadlineAt: now - 1 }),
    ];
    await right.store.commit({
      ...planFor(row),
      now,
      guard: {},
      sessions: [],
      insert: { sessions: [row], calls },
    });
    const due = await behind.store.findDue({ now: behind.now(), hostKind: 'js', limit: 10 });
    expect(due.overdueRoots, 'one is late, though not on this clock').toEqual(['s1']);
    const expired = await ahead.store.expireCalls('s1', ahead.now());
    expect(expired.map((call) => call.toolCallId)).toEqual(['late']);
    const answer = { kind: 'result', value: 'yes' } as const;
    const result = await ahead.store.answerCall({
      key: keyOf(calls[0]!),
      outcome: 'answered',
      answer,
      answeredBy: null,
      now: ahead.now(),
    });
    expect(result).toMatchObject({ found: true, taken: true });
  });

  it('leaves a live owner alone when a process that is ahead wants its session', async () => {
    const [owner, ahead] = (await machines(0, 5 * MINUTE)) as [Machine, Machine];
    const row = sessionRow({ epoch: 3, leaseOwner: 'a', leaseUntil: owner.now() + MINUTE });
    await owner.store.commit({
      ...planFor(row),
      now: owner.now(),
      guard: {},
      sessions: [],
      insert: { sessions: [row] },
    });
    const takeover = {
      ...planFor(row, { guard: { sessions: [{ sessionId: 's1', leaseExpired: true }] } }),
      now: ahead.now(),
    };
    expect(await ahead.store.commit(takeover)).toBe(false);
    const due = await ahead.store.findDue({ now: ahead.now(), hostKind: 'js', limit: 10 });
    expect(due.deadRoots).toEqual([]);
    const lease = { rootId: 's1', sessionId: 's1', epoch: 3, owner: 'a', extendMs: 0 };
    await owner.store.renewLease({ ...lease, now: owner.now() });
    expect(await ahead.store.commit(takeover), 'its time is over now').toBe(true);
  });

  it('tells a process that is ahead that the session is running, at once', async () => {
    const space = await openSpace();
    onTestFinished(space.close);
    let [begun, release] = [() => {}, () => {}];
    const working = new Promise<void>((resolve) => (begun = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const agent = defineAgent({
      name: 'slow',
      systemPrompt: 'slow',
      llmConfig: { model: 'scripted' },
    });
    const start = (offset: number): JSAgentExecutor => {
      const { stateStore, streamManager, close } = openStores(space.url, space.prefix);
      onTestFinished(close);
      const setTimer = (ms: number, callback: () => void): (() => void) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      };
      const generateStep = async (): Promise<StepResult> => {
        begun();
        await released;
        return { type: 'text', content: 'done', shouldStop: true };
      };
      const executor = new JSAgentExecutor(
        stateStore,
        streamManager,
        { generateStep },
        {
          agentRegistry: { slow: agent },
          clock: { now: () => Date.now() + offset, setTimer },
        },
      );
      return executor;
    };
    const handle = await start(0).execute(agent, 'go', { sessionId: 's1' });
    await working;
    const ahead = start(5 * MINUTE);
    await expect(ahead.resume('s1')).rejects.toMatchObject({ code: 'run_already_running' });
    await expect(ahead.execute(agent, 'me too', { sessionId: 's1' })).rejects.toMatchObject({
      code: 'run_already_running',
    });
    release();
    expect((await handle.result()).status).toBe('completed');
  });

  it('finds what is in a store that was seeded on the clock of a caller', async () => {
    const space = await openSpace();
    onTestFinished(space.close);
    await seed(space.open().store, { sessions: [sessionRow()] });
    expect((await space.open().store.listSessions()).items).toHaveLength(1);
  });
});
