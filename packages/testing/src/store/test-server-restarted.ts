// SIGKILL of the server under many runs. If this fails, a short outage of the store ends runs as failed, and only a person frees them.
import { setTimeout as wait } from 'node:timers/promises';
import { functionModel, type AgentExecutor, type LLMAdapter } from '@helix-agents/core';
import { rootRef } from '@helix-agents/core/store';
import { expect, it, onTestFinished } from 'vitest';
import { agent, serverTool } from '../runtime/definitions.ts';
import { call, say, use } from '../runtime/script.ts';
import type { MortalServer } from './test-server-killed.ts';

const RUNS = 30;
/** How long the server is away each time, before it is started again. */
const OUTAGES_MS = [300, 700, 1_200];
const timeout = 300_000;

export interface SweepingExecutor extends Pick<AgentExecutor, 'execute'> {
  sweep(): Promise<unknown>;
  shutdown(options: { readonly graceMs: number }): Promise<void>;
}

export interface TestServerRestartedOptions {
  readonly name: string;
  readonly start: () => Promise<MortalServer>;
  /** With a lease of about two seconds. */
  readonly executor: (server: MortalServer, llmAdapter: LLMAdapter) => SweepingExecutor;
}

/** Registers a test: no run fails because its server is away for a moment, and all end after sweeps. */
export function testServerRestarted(options: TestServerRestartedOptions): void {
  const { name, start } = options;
  it(`${name}: runs go on after a server that is killed and restarted`, { timeout }, async () => {
    const server = await start();
    onTestFinished(() => server.close());
    let worked = 0;
    let isOver = false;
    const work = serverTool('work', async () => {
      worked += 1;
      await wait(5);
      return 'worked';
    });
    const root = agent('root', [work], { maxSteps: 100_000 });
    const model = functionModel(() => (isOver ? say('done') : call(use('work'))));
    const executor = options.executor(server, model);
    const ids = Array.from({ length: RUNS }, (_, place) => `s${place}`);
    for (const sessionId of ids) await executor.execute(root, 'go', { sessionId });

    for (const outageMs of OUTAGES_MS) {
      const enough = worked + RUNS;
      await sweepUntil(executor, () => worked >= enough);
      await server.kill();
      await wait(outageMs);
      await server.restart();
    }
    isOver = true;
    const { sessions } = server.stateStore;
    await sweepUntil(executor, async () => {
      const rows = await Promise.all(ids.map((id) => sessions.readSession(rootRef(id))));
      return rows.every((row) => row?.status !== 'running');
    });
    for (const id of ids) {
      const runs = await sessions.readRuns(rootRef(id));
      expect(
        runs.map(({ status }) => status),
        id,
      ).toEqual(['completed']);
    }
    await executor.shutdown({ graceMs: 0 });
  });
}

/** As a server does it: again and again, whether the store answers or not. */
async function sweepUntil(
  executor: SweepingExecutor,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (;;) {
    if (await Promise.resolve(holds()).catch(() => false)) return;
    await executor.sweep().catch(() => undefined);
    await wait(20);
  }
}
