// If this fails: a deploy of this code breaks runs that are under way. A changed order needs a new LOOP_VERSION, with the old
// order kept while histories of it exist; changed arguments reach workers of the other version (MIGR-04).
import { describe, expect, it } from 'vitest';
import { DefaultLogger, Worker, type InjectedSinks } from '@temporalio/worker';
import { bundleAgentWorkflow } from '../src/index.ts';
import type { CommandSinks } from './command-interceptors.ts';
import { commandsOf } from './golden-commands.ts';
import { readGoldens } from './golden-files.ts';

const path = (file: string): string => new URL(file, import.meta.url).pathname;

describe('histories of all scenarios', () => {
  it('are replayed by this code, with the same arguments', { timeout: 600_000 }, async () => {
    const goldens = readGoldens();
    expect(new Set(goldens.map((golden) => golden.scenario)).size).toBeGreaterThan(200);
    const asked = new Map<string, string[]>();
    const sinks: InjectedSinks<CommandSinks> = {
      commands: {
        asked: {
          callDuringReplay: true,
          fn: (_, workflowId, command) => {
            asked.set(workflowId, [...(asked.get(workflowId) ?? []), command]);
          },
        },
      },
    };
    const workflowBundle = await bundleAgentWorkflow({
      workflowsPath: path('suite-workflow.ts'),
      workflowInterceptorModules: [path('command-interceptors.ts')],
      logger: new DefaultLogger('ERROR', () => {}),
    });
    const results = Worker.runReplayHistories(
      {
        workflowBundle,
        sinks,
        interceptors: { workflowModules: [path('command-interceptors.ts')] },
      },
      goldens.map(({ workflowId, history }) => ({ workflowId, history })),
    );
    const broken: string[] = [];
    let replayed = 0;
    for await (const { workflowId, error } of results) {
      replayed += 1;
      if (error) broken.push(`${workflowId}: ${error.message}`);
    }
    expect(broken).toEqual([]);
    expect(replayed).toBe(goldens.length);
    for (const { scenario, workflowId, history } of goldens) {
      const recorded = commandsOf(history);
      const now = (asked.get(workflowId) ?? []).slice(0, recorded.length);
      expect(now, `${scenario}: ${workflowId}`).toEqual(recorded);
    }
  });
});
