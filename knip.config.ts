import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  workspaces: {
    '.': { entry: ['scripts/*.mjs', 'bench/*.ts'], project: ['{scripts,bench}/**/*.{mjs,ts}'] },
    // Most of its tests are those of the stores that call it.
    'packages/test-processes': {
      entry: ['test/**/*.test.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'packages/test-servers': {
      entry: ['test/**/*.test.ts', 'src/prepare.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    // Bundled by its tests: the Worker, and what it gets in place of modules of Node.
    'packages/store-cloudflare': {
      entry: ['test/**/*.test.ts', 'test/worker/{worker,vitest,wait}.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'packages/*': { entry: ['test/**/*.test.ts'], project: ['{src,test}/**/*.ts'] },
    'examples/chat': {
      entry: ['test/**/*.test.ts', 'src/server.ts', 'page/src/main.tsx'],
      project: ['{src,test,page}/**/*.{ts,tsx}'],
    },
    'examples/*': { entry: ['test/**/*.test.ts'], project: ['{src,test}/**/*.ts'] },
  },
  // What the tests install or build where it is missing or find on every system, and what stress runs where it is installed.
  ignoreBinaries: ['apt-get', 'go', 'mkfifo', 'schemathesis'],
  // A type that only its own file uses may still be part of a signature.
  ignoreExportsUsedInFile: true,
};

export default config;
