import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = '@helix-agents/source';
const conditions: string[] = [source, ...defaultServerConditions];

/**
 * `npm run test:fast` runs these alone: in this process, over memory, in under a minute. What starts a process, a server or a
 * browser, writes files or plays many schedules is no part of it.
 */
const fast: string[] = [
  'packages/{core,http,llm-vercel,store-memory,store-sql,testing}/test/**/*.test.ts',
  'packages/agent-server/test/!(adapters|document-fuzz|fuzz|processes*|streams|workers).test.ts',
  'packages/ai-sdk/test/!(agent-server|docs|readers|tabs).test.ts',
  'packages/runtime-js/test/!(crash-*|hard-times|memory-*|power-loss|schedule|sqlite).test.ts',
  'packages/sdk/test/!(docs|mistakes|shutdown).test.ts',
];

/** Stores and the in-process runtime over them. */
const stores: string[] = ['packages/{runtime-js,store-*}/test/**/*.test.ts'];

/** A test that takes longer hangs: none depends on how fast the machine is. */
const HANGS_AFTER_MS = 600_000;

/** What takes minutes begins first, so that it is not what the others wait for in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longest = [
      /runtime-temporal\/test\/runtime/,
      /runtime-temporal/,
      /store-postgres/,
      /chat/,
    ];
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((pattern) => pattern.test(moduleId));
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: [source, 'node', 'module-sync'] } },
  test: {
    pool: 'forks',
    // Many tests wait for a server or another process most of their time.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Also for what vite does not transform: modules imported by plain node.
    execArgv: [`--conditions=${source}`],
    // Processes that tests start load the same sources again and again: they are compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    teardownTimeout: 60_000,
    projects: [
      // Where files are not isolated, a worker loads the sources once for all that it runs.
      { extends: true, test: { name: 'fast', include: fast, isolate: false } },
      {
        extends: true,
        test: {
          name: 'stores',
          include: stores,
          exclude: fast,
          isolate: false,
          ...startsServers(),
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
          exclude: [...fast, ...stores],
          ...startsServers(),
        },
      },
    ],
  },
});

export default config;

/** A server starts when a test file of the project first asks for it. */
function startsServers(): { globalSetup: string[] } {
  return { globalSetup: ['packages/test-servers/src/global-setup.ts'] };
}
