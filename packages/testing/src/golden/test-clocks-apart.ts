// Executors whose clocks differ, over one store with a server. If one of these fails, a machine that is ahead times
// people out before their time, twice, or takes over runs that are alive. DEAD-04.
import type { StepResult } from '@helix-agents/core';
import { systemClock } from '@helix-agents/core/host';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { agent, clientTool } from '../runtime/definitions.ts';
import { call, say, script } from '../runtime/script.ts';
import type { ExecutorUnderTest, TestWorld } from '../world/test-world.ts';
import { HANGS_AFTER_MS } from '../world/whole.ts';
import { startOver } from './golden-session.ts';

const MINUTE = 60_000;
const SESSION = 's1';
const timeout = HANGS_AFTER_MS;

export interface TestClocksApartOptions {
  readonly name: string;
  /** A world with empty stores on the clock of their server. */
  create(): Promise<TestWorld>;
}

/** What an executor promises when the machines do not agree on the time. For stores with a server's clock. */
export function testClocksApart(options: TestClocksApartOptions): void {
  const open = async (): Promise<TestWorld> => {
    const world = await options.create();
    onTestFinished(() => world.close());
    return world;
  };
  const machine = (
    world: TestWorld,
    offset: number,
    first: () => StepResult | Promise<StepResult>,
  ): ExecutorUnderTest =>
    startOver(world, {
      llmAdapter: script({ clerk: [first, say('done')] }),
      agentRegistry: { clerk },
      clock: { ...systemClock, now: () => systemClock.now() + offset },
    });

  describe(`machines whose clocks differ, on ${options.name},`, () => {
    it('leave a running session with its owner', { timeout }, async () => {
      const world = await open();
      const begun = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const owner = machine(world, 0, async () => {
        begun.resolve();
        await released.promise;
        return say('done');
      });
      const handle = await owner.execute(clerk, 'go', { sessionId: SESSION });
      await begun.promise;
      const ahead = machine(world, 5 * MINUTE, () => say('stolen'));
      const running = { code: 'run_already_running' };
      await expect(ahead.resume(SESSION)).rejects.toMatchObject(running);
      await expect(ahead.execute(clerk, 'me too', { sessionId: SESSION })).rejects.toMatchObject(
        running,
      );
      await ahead.sweep();
      released.resolve();
      expect(await handle.result()).toMatchObject({ status: 'completed', output: 'done' });
    });

    it.each(['resume', 'execute', 'sweep'] as const)(
      'let a machine that is behind take a dead run over: %s',
      { timeout },
      async (how) => {
        const world = await open();
        const dead = machine(world, 0, () => new Promise<never>(() => {}));
        await dead.execute(clerk, 'go', { sessionId: SESSION });
        await abandon(world);
        const behind = machine(world, -5 * MINUTE, () => say('done'));
        if (how === 'resume') await (await behind.resume(SESSION)).result();
        if (how === 'execute')
          await (await behind.execute(clerk, 'me too', { sessionId: SESSION })).result();
        if (how === 'sweep') expect(await behind.sweep()).toMatchObject({ recovered: 1 });
        const ref = { rootId: SESSION, sessionId: SESSION };
        await vi.waitUntil(
          async () => (await world.stateStore.sessions.readSession(ref))?.status === 'completed',
          { timeout: timeout / 2 },
        );
      },
    );

    it.each([
      ['ahead', 5 * MINUTE],
      ['behind', -5 * MINUTE],
    ])(
      'give a person the whole time when the one that asked is %s',
      { timeout },
      async (_, offset) => {
        const world = await open();
        const asker = machine(world, offset, () => call('ask'));
        await (await asker.execute(clerk, 'go', { sessionId: SESSION })).result();
        const others = [-offset, offset].map((other) => machine(world, other, () => call('ask')));
        for (const other of others) await other.sweep();
        const [first] = others as [ExecutorUnderTest, ExecutorUnderTest];
        const answer = { sessionId: SESSION, toolCallId: 'ask', result: 'in time' };
        expect(
          await first.submitToolResult({ kind: 'client-tool-result', ...answer }),
        ).toMatchObject({ status: 'accepted' });
        await (await first.resume(SESSION)).result();
        expect(await resultsOf(world)).toMatchObject([
          { content: expect.stringContaining('in time') },
        ]);
      },
    );

    it('time a call out once, whichever of them sweeps', { timeout }, async () => {
      const world = await open();
      const right = machine(world, 0, () => call('hurry'));
      await (await right.execute(clerk, 'go', { sessionId: SESSION })).result();
      const others = [5 * MINUTE, -5 * MINUTE].map((offset) =>
        machine(world, offset, () => call('hurry')),
      );
      const [ahead, behind] = others as [ExecutorUnderTest, ExecutorUnderTest];
      await vi.waitUntil(
        async () => {
          await Promise.all([ahead.sweep(), behind.sweep()]);
          return (await behind.listOpenCalls({ rootSessionId: SESSION })).items.length === 0;
        },
        { timeout: timeout / 2 },
      );
      const late = { sessionId: SESSION, toolCallId: 'hurry', result: 'late' };
      expect(await behind.submitToolResult({ kind: 'client-tool-result', ...late })).toMatchObject({
        status: 'expired',
      });
      await (await behind.resume(SESSION)).result();
      const [result, ...more] = await resultsOf(world);
      expect(more).toEqual([]);
      expect(JSON.stringify(result)).not.toContain('late');
    });
  });
}

const clerk = agent('clerk', [
  clientTool('ask', { clientToolTimeoutMs: 3 * MINUTE }),
  clientTool('hurry', { clientToolTimeoutMs: 1 }),
]);

/** Sets the lease of a dead owner to a time in the past. */
async function abandon({ stateStore }: TestWorld): Promise<void> {
  const ref = { rootId: SESSION, sessionId: SESSION };
  const now = systemClock.now();
  const applied = await stateStore.sessions.commit({
    kind: 'lease',
    rootId: SESSION,
    commitId: 'abandoned',
    now,
    guard: {},
    sessions: [{ ...ref, set: { leaseOwner: 'gone', leaseUntil: now - 1_000 } }],
  });
  expect(applied).toBe(true);
}

async function resultsOf({ stateStore }: TestWorld): Promise<readonly unknown[]> {
  const rows = await stateStore.sessions.readMessages({ rootId: SESSION, sessionId: SESSION });
  return rows.map(({ message }) => message).filter(({ role }) => role === 'tool');
}
