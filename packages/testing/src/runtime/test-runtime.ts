import { describe, it } from 'vitest';
import type { TestRuntimeOptions } from './harness.ts';
import { checkInvariants } from './invariants.ts';
import { plainRuns } from './plain-runs.ts';
import { openWorld, type Scenario } from './world.ts';

/**
 * What every runtime must hold to. Registers vitest tests; each gets fresh stores and makes its own processes.
 *
 * @example
 * testRuntime({
 *   name: 'js',
 *   create: async () => ({
 *     databases: { of: () => stateStore.sessions },
 *     index: stateStore.index,
 *     streams,
 *     usage,
 *     newExecutor: ({ databases, ...parts }) => new JSAgentExecutor({ ...parts, seams: { databases } }),
 *     close: async () => {},
 *   }),
 * });
 */
export function testRuntime(options: TestRuntimeOptions): void {
  const scenario: Scenario = (title, body) => {
    it(title, async () => {
      const world = openWorld(await options.create());
      try {
        await body(world);
        await checkInvariants(world);
      } finally {
        await world.close();
      }
    });
  };
  describe(`runtime: ${options.name}`, () => {
    for (const property of properties) property(scenario);
  });
}

const properties: readonly ((scenario: Scenario) => void)[] = [plainRuns];
