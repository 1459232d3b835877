import type { AgentConfig } from '@helix-agents/core';
import { expect } from 'vitest';
import { LEASE_MS, type Process, type ProcessOptions } from './process.ts';
import { barrier, until } from './waiting.ts';
import type { World } from './world.ts';

/** A tool that kills the process which runs it. */
export interface DeadlyTool {
  readonly execute: () => Promise<void>;
  /** Starts session `s` and has it recovered, once its lease is over, until `lives` processes are dead. Then the tool is harmless. */
  kill(options: DeadlyOptions): Promise<void>;
}

export interface DeadlyOptions {
  readonly world: World;
  readonly running: ProcessOptions;
  readonly root: AgentConfig;
  readonly lives: number;
  readonly afterDeath?: () => Promise<void>;
}

export function deadlyTool(): DeadlyTool {
  const harmless = (): Promise<void> => Promise.resolve();
  let kill = harmless;
  return {
    execute: () => kill(),
    async kill({ world, running, root, lives, afterDeath = harmless }) {
      for (let life = 0; life < lives; life += 1) {
        const reached = barrier();
        kill = () => {
          process.kill();
          return reached.pass();
        };
        const process = world.process(running);
        if (life === 0) await process.executor.execute(root, 'go', { sessionId: 's' });
        else await process.executor.sweep();
        await reached.reached;
        await afterDeath();
        await world.clock.skip(LEASE_MS + 120_000);
      }
      kill = harmless;
    },
  };
}

/** The next sweep finds session `s` recovered too often, and ends it. Returns the process that swept. */
export async function expectGivenUp(world: World, running: ProcessOptions): Promise<Process> {
  const last = world.process(running);
  await last.executor.sweep();
  await until('it has failed', async () => (await world.session('s')).status === 'failed');
  expect((await world.session('s')).error?.code).toBe('run_recovery_exhausted');
  return last;
}
