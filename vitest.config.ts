import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = '@helix-agents/source';
const conditions: string[] = [source, ...defaultServerConditions];

/**
 * `npm run test:fast` runs these alone: in this process, over memory, in under a minute. What starts a process, a server or a
 * browser, writes files or plays many schedules is no part of it.
 */
const fast: string[] = [
  'packages/{core,llm-vercel,store-memory,store-sql,testing}/test/**/*.test.ts',
  'packages/agent-server/test/!(adapters|document-fuzz|fuzz|processes*|streams|workers).test.ts',
  'packages/ai-sdk/test/!(agent-server|docs|tabs).test.ts',
  'packages/runtime-js/test/!(crash-*|hard-times|memory-*|power-loss|schedule|split-host|sqlite).test.ts',
  'packages/sdk/test/!(docs|shutdown).test.ts',
];

/** A test that takes longer hangs: none depends on how fast the machine is. */
const HANGS_AFTER_MS = 600_000;

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: [source, 'node', 'module-sync'] } },
  test: {
    pool: 'forks',
    // Many tests wait for a server or another process most of their time.
    maxWorkers: availableParallelism() + 1,
    // Also for what vite does not transform: modules imported by plain node.
    execArgv: [`--conditions=${source}`],
    // Processes that tests start load the same sources again and again: the third of a second for each is spent once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: fast,
          // One worker loads the sources once for all its files.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
          exclude: fast,
          // Servers start when a test file asks for one.
          globalSetup: ['packages/test-servers/src/global-setup.ts'],
        },
      },
    ],
  },
});

export default config;
