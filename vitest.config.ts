import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = '@helix-agents/source';
const conditions: string[] = [source, ...defaultServerConditions];

const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: [source, 'node', 'module-sync'] } },
  test: {
    pool: 'forks',
    // Many tests wait for a server or another process most of their time.
    maxWorkers: availableParallelism() + 1,
    // Also for what vite does not transform: modules imported by plain node.
    execArgv: [`--conditions=${source}`],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    // One project per environment.
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          // Servers start when a test file asks for one.
          globalSetup: ['packages/test-servers/src/global-setup.ts'],
          include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
        },
      },
    ],
  },
});

export default config;
